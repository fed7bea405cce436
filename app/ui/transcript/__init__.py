"""The conversation that is shown: its messages, and what can be done with each."""
