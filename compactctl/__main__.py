"""Where the command line begins; what needs no library is answered before one loads."""

import sys

from compactctl import __version__
from compactctl.cli import output


def main() -> None:
    """Run the command line and exit with its code."""
    if sys.argv[1:] == ["--version"]:
        output.write_text(f"compactctl {__version__}")
        return
    from compactctl.cli.app import main as run  # noqa: PLC0415 -- 100 ms that --version can spare

    run()


if __name__ == "__main__":
    main()
