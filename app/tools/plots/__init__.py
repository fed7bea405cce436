"""Plots that models' code makes: what the stand-in for matplotlib noted, drawn as pictures."""
