"""Where widgets meet services: each joins the widgets of one subject to what does the work."""
