"""``python -m compactctl``."""

from compactctl.cli.app import main

if __name__ == "__main__":
    main()
