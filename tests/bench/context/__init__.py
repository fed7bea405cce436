"""The context: entries that are read, exactness, memory and time, on every kind of memory; pictures and sound, too."""
