"""The records of a work tree as files: what is read, written, refused and left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deedlog.core.errors import Conflict, DeedlogError, NotFound, NotWritten, Unavailable
from deedlog.core.records.building import plan_records
from deedlog.core.records.prompt import render_prompt
from deedlog.core.records.uid import is_uid, moment_of
from deedlog.core.records.values import PROMPT_FILE, STATE_FILE, TASK_FILE, RecordFile
from deedlog.core.records.wanted import Wanted
from deedlog.records.engine import FileRecords
from tests.engines.record_keeping import files, found_problems, record, wanted


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    return folder


@pytest.fixture
def records(tree: Path, tmp_path: Path) -> FileRecords:
    return FileRecords(str(tree), str(tmp_path / "store"))


def code(refusal: pytest.ExceptionInfo[DeedlogError]) -> object:
    return refusal.value.data.get("code")


@pytest.mark.proves("clarify:files:paths")
def test_a_decision_is_written_at_the_paths_of_the_document(records: FileRecords, tree: Path) -> None:
    record(records, wanted("Add a database", Database_Type="PostgreSQL"))
    planned = record(records, wanted("Add a queue", Queue_Broker="Kafka"))
    assert planned.adr
    assert planned.task
    assert [(artifact["type"], artifact["path"]) for artifact in planned.artifacts] == [
        ("adr", f"docs/adr/{planned.adr.uid}_add_a_queue.md"),
        ("task", "docs/CURRENT_TASK.md"),
        ("projection", "docs/ARCHITECTURE_STATE.md"),
        ("archive", f"docs/archive/task/{planned.artifacts[3]['uid']}_add_a_database.md"),
    ]
    assert len(files(tree)) == 5
    assert all((tree / artifact["path"]).stat().st_mode & 0o777 == 0o666 & ~_umask() for artifact in planned.artifacts)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_reading_where_nothing_is_recorded_writes_nothing(records: FileRecords, tree: Path, tmp_path: Path) -> None:
    assert records.book().architecture.uid == ""
    assert not records.there()
    assert list(tree.iterdir()) == []
    assert not (tmp_path / "store").exists()


@pytest.mark.proves("clarify:files:immutable")
def test_adrs_and_archives_never_change_whatever_is_written_later(records: FileRecords, tree: Path) -> None:
    kept: dict[str, bytes] = {}
    for number in range(10):
        record(records, wanted(f"Round {number}", Database_Type=str(number)))
        now = {path: data for path, data in files(tree).items() if "/adr/" in path or "/archive/" in path}
        assert kept.items() <= now.items()
        kept = now
    assert len(kept) == 19


@pytest.mark.proves("clarify:files:immutable")
def test_a_new_file_never_replaces_another(records: FileRecords, tree: Path) -> None:
    record(records, wanted(Queue_Broker="Kafka"))
    before = files(tree)
    taken = next(path for path in before if "/adr/" in path)
    with pytest.raises(Conflict), records.writing() as writing:
        writing.put([RecordFile(path=TASK_FILE, text="x"), RecordFile(path=taken, text="y", new=True)], {})
    assert files(tree) == before


@pytest.mark.proves("clarify:uid:format", "clarify:uid:increasing")
def test_uids_increase_although_the_clock_goes_back(tree: Path, tmp_path: Path) -> None:
    at = 1_800_000_000_000_000
    moments = iter([at, at, at - 100_000_000, at - 10_000_000_000_000])
    records = FileRecords(str(tree), str(tmp_path / "store"), clock=lambda: next(moments))
    with records.writing() as writing:
        given = [writing.uid() for _ in range(3)]
    assert given == sorted(set(given))
    assert all(map(is_uid, given))
    assert moment_of(given[0]) == 1_800_000_000_000_000
    assert moment_of(given[2]) == 1_800_000_000_002_000


@pytest.mark.proves("clarify:uid:increasing")
def test_a_uid_is_later_than_every_one_that_was_written_even_if_the_files_are_gone(
    records: FileRecords, tree: Path, tmp_path: Path
) -> None:
    planned = record(records, wanted(Queue_Broker="Kafka"))
    assert planned.task
    for path in files(tree):
        (tree / path).unlink()
    an_hour_ago = moment_of(planned.task.uid) - 3_600_000_000
    again = FileRecords(str(tree), str(tmp_path / "store"), clock=lambda: an_hour_ago)
    with again.writing() as writing:
        assert writing.uid() > planned.task.uid


@pytest.mark.proves("clarify:files:archive")
def test_a_task_written_by_hand_is_archived_byte_for_byte_before_the_new_one(records: FileRecords, tree: Path) -> None:
    (tree / "docs").mkdir()
    text = b"# Mine\r\n\xff not UTF-8\n<!-- UID: forged -->"
    (tree / TASK_FILE).write_bytes(text)
    planned = record(records, wanted(Queue_Broker="Kafka"))
    assert planned.task
    (path,) = [path for path in files(tree) if "/archive/" in path]
    assert files(tree)[path] == text
    assert path.endswith("_mine.md")
    assert path.rpartition("/")[2][:25] < planned.task.uid


def test_a_task_that_is_archived_already_is_not_archived_again(records: FileRecords, tree: Path) -> None:
    """As after going back to an older commit."""
    record(records, wanted("One"))
    text = (tree / TASK_FILE).read_text()
    record(records, wanted("Two"))
    (tree / TASK_FILE).write_text(text)
    record(records, wanted("Three"))
    assert len([path for path in files(tree) if "/archive/" in path]) == 1
    (tree / TASK_FILE).write_text(text + "\nedited\n")
    record(records, wanted("Four"))
    assert sorted(files(tree)[path] for path in files(tree) if "/archive/" in path) == sorted(
        [text.encode(), text.encode() + b"\nedited\n"]
    )


@pytest.mark.proves("clarify:projection:part-1", "clarify:projection:fold")
@pytest.mark.parametrize("spoilt", [None, b"<!-- UID: None -->\n", b"<!-- UID: None -->\r\n<<<<<<< HEAD\r\n=======\n"])
def test_the_architecture_file_is_made_again_when_missing_or_stale(
    records: FileRecords, tree: Path, spoilt: bytes | None
) -> None:
    record(records, wanted(Queue_Broker="Kafka"))
    before = (tree / STATE_FILE).read_bytes()
    (tree / STATE_FILE).unlink()
    if spoilt is not None:
        (tree / STATE_FILE).write_bytes(spoilt)
    assert records.book().architecture.plain() == {"Queue": {"Broker": "Kafka"}}
    assert (tree / STATE_FILE).read_bytes() == before


@pytest.mark.proves("clarify:repo:inside")
def test_an_architecture_file_that_is_not_ours_is_refused_and_left_alone(records: FileRecords, tree: Path) -> None:
    record(records, wanted("Start"))
    (tree / STATE_FILE).write_text("# Our architecture, by hand\n")
    before = files(tree)
    with pytest.raises(Conflict) as refusal:
        records.book()
    assert code(refusal) == "PARSE_ERROR"
    assert refusal.value.data["path"] == STATE_FILE
    with pytest.raises(Conflict) as refusal:
        record(records, wanted(Queue_Broker="Kafka"))
    assert code(refusal) == "PARSE_ERROR"
    assert files(tree) == before


def test_a_damaged_adr_of_ours_is_named(records: FileRecords, tree: Path) -> None:
    planned = record(records, wanted(Queue_Broker="Kafka"))
    assert planned.adr
    path = tree / planned.adr.path
    path.write_text(path.read_text().replace('"uid"', '"uid'))
    with pytest.raises(Conflict) as refusal:
        records.book()
    assert code(refusal) == "PARSE_ERROR"
    assert refusal.value.data["path"] == planned.adr.path


@pytest.mark.proves("clarify:repo:inside")
@pytest.mark.parametrize(
    "link", ["docs", "docs/adr", "docs/archive", "docs/CURRENT_TASK.md", "docs/ARCHITECTURE_STATE.md"]
)
@pytest.mark.parametrize("target", ["folder", "file", "nowhere"])
def test_no_link_is_followed(records: FileRecords, tree: Path, tmp_path: Path, link: str, target: str) -> None:
    outside = tmp_path / "outside"
    (outside / "folder").mkdir(parents=True)
    (outside / "file").write_text("<!-- UID: None -->\n")
    record(records, wanted("Start"))
    (tree / "docs/CURRENT_TASK.md").rename(tmp_path / "moved")
    place = tree / link
    if place.is_dir():
        place.rmdir()
    place.symlink_to(outside / target)
    before = sorted(path.name for path in tree.rglob("*"))
    with pytest.raises(Unavailable) as refusal:
        record(records, wanted(Queue_Broker="Kafka"))
    assert code(refusal) == "FILESYSTEM_ERROR"
    assert place.is_symlink()
    assert sorted(path.name for path in tree.rglob("*")) == before
    assert [path.name for path in sorted(outside.rglob("*"))] == ["file", "folder"]
    assert (outside / "file").read_text() == "<!-- UID: None -->\n"


@pytest.mark.proves("clarify:repo:inside")
@pytest.mark.parametrize("folder", ["docs", "docs/adr", "docs/archive/task"])
def test_a_file_in_the_place_of_a_folder_stops_the_whole_write(
    records: FileRecords, tree: Path, tmp_path: Path, folder: str
) -> None:
    if folder != "docs":
        record(records, wanted("Start"))
    place = tree / folder
    place.parent.mkdir(exist_ok=True)
    place.write_text("in the way")
    before = files(tree)
    for _ in range(2):
        with pytest.raises(Unavailable) as refusal:
            record(records, wanted(Queue_Broker="Kafka"))
        assert code(refusal) == "FILESYSTEM_ERROR"
        assert files(tree) == before
    place.unlink()
    record(records, wanted(Queue_Broker="Kafka"))
    assert found_problems(records) == []


def test_a_pipe_or_a_folder_among_the_adrs_stops_nobody(records: FileRecords, tree: Path) -> None:
    record(records, wanted(Queue_Broker="Kafka"))
    os.mkfifo(tree / "docs/adr/0001-pipe.md")
    (tree / "docs/adr/0002-folder.md").mkdir()
    (tree / "docs/adr/0003-link.md").symlink_to("/etc/passwd")
    assert len(records.book().adrs) == 1
    assert len([line for line in found_problems(records) if "no plain file" in line]) == 3


@pytest.mark.proves("clarify:repo:inside")
@pytest.mark.parametrize(
    "path", ["../x.md", "/etc/x.md", "docs/adr/../../x.md", "docs/x.md", "docs/adr/x.txt", "src/a.md"]
)
def test_nothing_but_records_can_be_written_or_read(records: FileRecords, tree: Path, path: str) -> None:
    with pytest.raises(NotFound):
        records.text(path)
    with pytest.raises(NotFound), records.writing() as writing:
        writing.put([RecordFile(path=path, text="x", new=True)], {})
    assert files(tree) == {}


def refused(records: FileRecords, spec: Wanted, note: dict[str, int], answer: DeedlogError) -> object:
    """Write, and let the ledger answer with a refusal; returns what was unfinished before."""
    before: object = None
    try:
        with records.writing() as writing:
            before = writing.unfinished and writing.unfinished["said"]
            writing.put(plan_records(writing.book, spec, writing.uid, 0).files, note)
            raise answer
    except type(answer):
        return before


def test_what_the_ledger_refuses_is_taken_back_and_what_is_unsure_is_told_to_the_next(
    records: FileRecords, tree: Path
) -> None:
    record(records, wanted("Start"))
    before = files(tree)
    assert refused(records, wanted(Queue_Broker="Kafka"), {"said": 1}, Conflict("no")) is None
    assert files(tree) == before
    assert refused(records, wanted(Queue_Broker="Kafka"), {"said": 2}, Unavailable("who knows")) is None
    assert refused(records, wanted("More", Queue_Size="3"), {"said": 3}, NotWritten("full")) == 2
    with records.writing() as writing:
        assert writing.unfinished
        assert writing.unfinished["said"] == 2
        assert writing.unfinished["whole"]
        writing.done()
    with records.writing() as writing:
        assert writing.unfinished is None
    assert records.book().architecture.plain() == {"Queue": {"Broker": "Kafka"}}


def test_a_task_that_somebody_edits_meanwhile_is_not_overwritten(records: FileRecords, tree: Path) -> None:
    record(records, wanted("Start"))
    with records.writing() as writing:
        planned = plan_records(writing.book, wanted("Next"), writing.uid, 0)
        (tree / TASK_FILE).write_text("# edited\n")
        with pytest.raises(Conflict, match="changed meanwhile"):
            writing.put(planned.files, {})
    assert (tree / TASK_FILE).read_text() == "# edited\n"


def test_the_prompt_is_written_over_ours_and_never_over_anothers(records: FileRecords, tree: Path) -> None:
    planned = record(records, wanted(Queue_Broker="Kafka"))
    assert planned.task
    text = render_prompt(planned.task, records.book().architecture, planned.adr)
    for _ in range(2):
        with records.writing() as writing:
            writing.put([RecordFile(path=PROMPT_FILE, text=text)], {})
            writing.done()
    (tree / PROMPT_FILE).write_text("my own\n")
    with pytest.raises(Conflict), records.writing() as writing:
        writing.put([RecordFile(path=PROMPT_FILE, text=text)], {})
    assert (tree / PROMPT_FILE).read_text() == "my own\n"


def test_looking_writes_nothing(records: FileRecords, tree: Path) -> None:
    record(records, wanted(Queue_Broker="Kafka"))
    (tree / STATE_FILE).unlink()
    assert records.look().architecture.plain() == {"Queue": {"Broker": "Kafka"}}
    assert not (tree / STATE_FILE).exists()
    assert records.rebuild()
    assert not records.rebuild()


def test_a_file_far_too_large_is_never_archived_by_half(records: FileRecords, tree: Path) -> None:
    record(records, wanted("Start"))
    with (tree / TASK_FILE).open("wb") as file:
        file.truncate(17_000_000)
    with pytest.raises(Unavailable) as refusal:
        record(records, wanted("Next"))
    assert code(refusal) == "FILESYSTEM_ERROR"
    (tree / TASK_FILE).unlink()
    (tree / "docs/adr").mkdir()
    with (tree / "docs/adr/0001-huge.md").open("wb") as file:
        file.truncate(17_000_000)
    assert records.book().adrs == []


def test_ends_of_lines_that_git_changed_make_nothing_stale(records: FileRecords, tree: Path) -> None:
    record(records, wanted(Queue_Broker="Kafka"))
    for path, data in files(tree).items():
        (tree / path).write_bytes(data.replace(b"\n", b"\r\n"))
    before = files(tree)
    assert records.book().architecture.plain() == {"Queue": {"Broker": "Kafka"}}
    assert files(tree) == before
    assert found_problems(records) == []


def test_what_the_store_is_given_is_its_owners_alone(records: FileRecords, tmp_path: Path) -> None:
    record(records, wanted("Start"))
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("store", "store/records")] == [0o700, 0o700]
