"""`python3 -m tasks`: validate, export, show, new, list."""

import argparse
import sys

from tasks.commands import add_commands
from tasks.kit.category import AuthoringError
from tasks.kit.finalizers import mute_finalizers


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 done, 1 a gate failed, 2 usage or a category that contradicts itself."""
    parser = argparse.ArgumentParser(prog="python3 -m tasks", description=__doc__)
    add_commands(parser.add_subparsers(dest="command", required=True))
    given = parser.parse_args(arguments)
    mute_finalizers()
    try:
        return given.run(given)
    except (AuthoringError, OSError, ValueError) as error:
        print(f"tasks {given.command}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
