"""Grammars (GBNF) that an answer keeps to, as automata that are made while they are needed."""
