"""GGUF files that tests write."""

from gguf import GGUFWriter


def finish(writer: GGUFWriter) -> None:
    """Write all that was added, and close the file."""
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
