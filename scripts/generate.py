"""Write what is generated from the operations; with --check, only say whether it is current."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from deedlog import ops
from deedlog.operation import catalog
from deedlog.operation.define import Operation
from deedlog.operation.discover import operations_under

ROOT = Path(__file__).parent.parent


def catalog_text(operations: list[Operation]) -> str:
    rows = [{name: value for name, value in op.fields().items() if name != "run"} for op in operations]
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def generated() -> dict[Path, str]:
    """Every generated file with its text."""
    operations = operations_under(ops)
    return {Path(catalog.FILE): catalog_text(operations)}


def main() -> int:
    check = "--check" in sys.argv[1:]
    stale = [path for path, text in generated().items() if not path.exists() or path.read_text() != text]
    for path in stale:
        print(f"stale: {path.relative_to(ROOT)}" if check else f"wrote {path.relative_to(ROOT)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(generated()[path])
    if check and stale:
        print("run `make gen` and commit the result")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
