"""The command line: one thin file a command, over functions that know nothing of it."""
