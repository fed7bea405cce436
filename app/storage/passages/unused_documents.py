"""Removes what was read of documents for conversations that are gone."""

from contextlib import closing
from pathlib import Path

from app.storage.file_errors import told_as_sentences
from app.storage.passages.passage_store import PassageStore
from app.storage.unused_attachments import named_hashes


def remove_unused_documents(path: Path, database: Path) -> int:
    """Remove from the store at `path` each document that neither a collection holds nor the database names, in no
    table: its text, words and vectors, also out of free pages and the log.

    Messages that can be brought back, drafts and queues all count. A text that never was a file has no name there, and
    is read again when it is asked about. For any thread; returns how many went. Raises UserError.
    """
    if not path.exists():
        return 0
    with closing(PassageStore.open(path)) as store:
        if attached := set(store.attached()):
            with told_as_sentences(database):
                attached.difference_update(named_hashes(database))
        for each in attached:
            store.detach(each)
        if n_removed := store.sweep():
            store.tidy()
    return n_removed
