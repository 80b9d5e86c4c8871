"""Auditing: rules over a session and its compactions, recorded or our own. Pure."""
