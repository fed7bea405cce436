"""Collections of documents: read and kept in the background, and searched."""
