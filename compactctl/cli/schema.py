"""``schema``: the JSON Schemas of everything that is written."""

from typing import Annotated

import typer

from compactctl.cli import output


def schema(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Print this one; without it, list all.")
    ] = None,
) -> None:
    """
    List the JSON Schemas, or print one.

    \b
    compactctl schema
    compactctl schema ledger > ledger.schema.json
    """  # noqa: D301 -- \b is for the help formatter
    from compactctl.io.dumps import dump_json  # noqa: PLC0415 -- --help need not load it
    from compactctl.io.schemas import load_schema, schema_names  # noqa: PLC0415 -- as above

    if name is None:
        output.write_text("\n".join(schema_names()))
    else:
        output.write_bytes([dump_json(load_schema(name))])
