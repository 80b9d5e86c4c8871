"""Tool results: which call each settles, what sort of work it was, and what it proves."""
