"""Where the command line begins; what needs no library is answered before one loads."""

import sys

from compactctl import __version__


def main() -> None:
    """Run the command line and exit with its code."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"compactctl {__version__}\n")
        return
    from compactctl.cli.app import main as run  # noqa: PLC0415 -- 100 ms that --version can spare

    run()


if __name__ == "__main__":
    main()
