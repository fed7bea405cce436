"""The open conversation on paper. Imported when somebody prints, for printing has a library of its own."""

from collections.abc import Callable, Iterator

from PySide6.QtGui import QPageLayout
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QDialog, QWidget

from app.services.exchange.exchange import Exchange
from app.services.exchange.export_plans import Bytes
from app.storage.exchange.outfile import safe_name
from app.storage.exchange.records import ConversationRecord
from app.ui.exporting.job_dialog import JobDialog
from app.ui.exporting.pdf_export import MARGINS, PrintedPages, decoded


class PrintJobDialog(JobDialog):
    """Begins at once. `printer` says what to print on."""

    def __init__(self, exchange: Exchange, conversation_id: int, printer: QPrinter, parent: QWidget) -> None:
        super().__init__(self.tr("Print"), parent)
        self._printer = printer
        self.set_buttons(self.stop_button)
        self.follow(exchange.paint(conversation_id, self._paint), self.tr("Painting the pages…"))
        self.progress.setRange(0, 0)

    def job_ended(self, result: object) -> None:
        self.accept()

    def _paint(self, records: Iterator[ConversationRecord], picture: Bytes, done: Callable[[], None]) -> None:
        """In the exchange thread."""
        PrintedPages(self._printer, decoded(picture), reasoning=False).write(records, done)


def ask_printer(exchange: Exchange, conversation_id: int, title: str, parent: QWidget) -> QPrintDialog:
    """Let people choose a printer, and then print on it."""
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    # Qt proposes this with ".pdf" behind it where the printer is a file.
    printer.setDocName(safe_name(title, "Hearth"))
    printer.setCreator("Hearth")
    printer.setPageMargins(MARGINS, QPageLayout.Unit.Millimeter)
    dialog = QPrintDialog(printer, parent)
    dialog.setOption(QPrintDialog.PrintDialogOption.PrintPageRange, False)
    dialog.accepted.connect(lambda: PrintJobDialog(exchange, conversation_id, printer, parent).open())
    dialog.finished.connect(dialog.deleteLater)
    QDialog.open(dialog)
    return dialog
