"""Use cases: threads, coroutines and the objects that the front doors talk to. QtCore, no widgets."""
