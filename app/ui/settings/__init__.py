"""The dialog of settings, and the forms that are made from their declarations."""
