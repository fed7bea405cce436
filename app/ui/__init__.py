"""The window: widgets show and report, and decide nothing."""
