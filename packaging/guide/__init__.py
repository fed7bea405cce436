"""The built-in guide: its corpus, its training, its conversion to GGUF and its evaluation. Never needed at run time."""
