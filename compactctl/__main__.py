"""Where the command line begins; what needs no library is answered before one loads."""

import sys

from compactctl import __version__
from compactctl.cli import hook


def main() -> None:
    """Run the command line and exit with its code."""
    words = sys.argv[1:]
    if hook.is_call(words):
        # A harness waits, and takes exit code 2 of an error for an order.
        sys.exit(hook.status_of_call(hook.asked_by(words[1:])))
    if words == ["--version"]:
        from compactctl.cli import output  # noqa: PLC0415 -- the hook can spare it

        output.write_text(f"compactctl {__version__}")
        return
    from compactctl.cli.app import main as run  # noqa: PLC0415 -- 100 ms that --version can spare

    run()


if __name__ == "__main__":
    main()
