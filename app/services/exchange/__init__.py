"""Exports, imports and backups."""
