"""Collections of documents: what is in them, and searching them."""
