"""Whole programs that are asked over HTTP: `hearth serve` beside llama-server, and clients of all kinds."""
