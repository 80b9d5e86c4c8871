"""What each state class leaves behind in the state block: one file a class."""
