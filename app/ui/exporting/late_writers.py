"""What writes exports, imported when somebody exports: the start need not wait for it."""

from app.services.exchange.export_plans import Pages, PdfWriter, Writers


def late_writers() -> Writers:
    return Writers(_web_pages, _pdf_writer)


def _web_pages() -> Pages:
    from app.ui.exporting.html_export import HtmlExport

    return HtmlExport()


def _pdf_writer() -> PdfWriter:
    from app.ui.exporting.pdf_export import write_pdf

    return write_pdf
