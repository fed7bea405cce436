"""Plain values and rules that every layer shares. Imports the standard library alone."""
