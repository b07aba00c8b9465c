"""``python -m fairmend`` is the command ``fairmend``."""

from fairmend.cli.main import main

if __name__ == "__main__":
    main()
