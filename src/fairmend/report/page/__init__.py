"""The page: a report's content as one HTML file, a section or a kind of figure to a module."""
