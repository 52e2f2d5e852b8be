"""Write what is generated from the operations; with --check, only say whether it is current."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

from deedlog import ops
from deedlog.operation import catalog
from deedlog.operation.define import Operation
from deedlog.operation.discover import operations_under
from deedlog.survey.compiling import compiled, folded_words
from deedlog.survey.lexicon import COMPILED, DATA
from scripts.reference import pages

ROOT = Path(__file__).parent.parent


def catalog_text(operations: list[Operation]) -> str:
    """Without what every operation has unless it says otherwise: each start reads this."""
    usual = {**Operation.defaults(), "run": None}
    rows = [
        {
            name: value
            for name, value in op.replace(run=None).fields().items()
            if name not in usual or value != usual[name]
        }
        for op in operations
    ]
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def lexicon_text() -> str:
    """The gate's words, without what every technology has unless it says otherwise."""
    files = {path.stem: tomllib.loads(path.read_text()) for path in Path(DATA).glob("*.toml")}
    words = {language: folded_words(classes) for language, classes in files.pop("words").items()}
    rivals = {f"{a}.{f}": [*lists.values()] for a, fields in files.pop("rivals").items() for f, lists in fields.items()}
    lexicon = compiled(files)
    lexicon["technologies"] = [
        {key: value for key, value in one.items() if value not in ([], False)} for one in lexicon["technologies"]
    ]
    rows = {**lexicon, "words": words, "rivals": rivals}
    return json.dumps(rows, indent=None, separators=(",", ":"), ensure_ascii=False).replace("},{", "},\n{") + "\n"


def generated() -> dict[Path, str]:
    """Every generated file with its text."""
    operations = operations_under(ops)
    reference = {ROOT / "docs" / "reference" / path: text for path, text in pages(operations).items()}
    return {Path(catalog.FILE): catalog_text(operations), Path(COMPILED): lexicon_text()} | reference


def orphans(expected: dict[Path, str]) -> list[Path]:
    """Pages of operations that are gone."""
    return [path for path in (ROOT / "docs" / "reference").rglob("*.md") if path not in expected]


def main() -> int:
    check = "--check" in sys.argv[1:]
    try:
        files = generated()
    except TypeError as error:
        print(f"error: {error}")
        return 1
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    gone = orphans(files)
    for path in stale + gone:
        print(f"{'stale' if check else 'removed' if path in gone else 'wrote'}: {path.relative_to(ROOT)}")
    if check:
        if stale or gone:
            print("run `make gen` and commit the result")
        return int(bool(stale or gone))
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path])
    for path in gone:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
