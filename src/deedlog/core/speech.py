"""How something is said to a worker that runs: as lines of text, or as the messages its client reads."""

from __future__ import annotations

LINES, CLAUDE = "lines", "claude"
RESULTS = ("result", "response", "final", "turn.completed")  # what clients call the line that ends an answer


def spoken(speech: str, text: str) -> str:
    """What is written to its standard input."""
    if speech != CLAUDE:
        return text if text.endswith("\n") else f"{text}\n"
    import json  # only where somebody is spoken to so

    content = [{"type": "text", "text": text}]
    return json.dumps({"type": "user", "message": {"role": "user", "content": content}}, ensure_ascii=False) + "\n"


def is_result(line: str) -> bool:
    """Whether a line that was printed says that an answer is complete."""
    if not line.startswith("{"):
        return False
    import json

    try:
        found = json.loads(line)
    except ValueError:
        return False
    return isinstance(found, dict) and found.get("type") in RESULTS
