"""Media: from bytes to pixels to embeddings, and the projectors that make these."""
