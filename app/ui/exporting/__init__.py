"""Exports, imports and backups: their dialogs, and pages for paper and the web."""
