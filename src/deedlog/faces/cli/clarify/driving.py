"""The operations behind a conversation. Nothing is decided here: only asked for, and handed on."""

from __future__ import annotations

import os

from deedlog import bootstrap
from deedlog.core.clarification import OPEN, RESET
from deedlog.core.clarify.values import SKIP
from deedlog.core.errors import Conflict, DeedlogError, Invalid, NotFound, Part
from deedlog.faces.cli.acting import caller
from deedlog.faces.cli.command import Invocation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

COMPLETED = "completed"
EXPIRED_CODE = "SESSION_EXPIRED"
MOST_LISTED = 500


class Desk:
    """The project that a command of `clarify` is about, and who asks."""

    def __init__(self, invocation: Invocation) -> None:
        try:
            if path := invocation.arguments.get("repo_path"):
                beside = {**invocation.shared, "directory": os.path.join(invocation.folder, path)}
                invocation = Invocation(invocation.arguments, beside)
            settings = invocation.settings()
            self.tree = settings.the_project().tree
            self._app = bootstrap.build(settings)
        except NotFound as refusal:
            if refusal.part == Part.CONFIGURATION:
                refusal.data.setdefault("code", "REPO_NOT_FOUND")
            raise
        self._caller = caller(settings)
        self.as_json = invocation.as_json

    def call(self, name: str, /, **arguments: Any) -> Json:
        answer: Json = self._app.call(name, arguments, self._caller)
        return answer

    def close(self) -> None:
        self._app.close()

    def sessions(self, status: str | None = OPEN) -> list[Json]:
        """Those about this work tree, the newest first."""
        rows: list[Json] = self.call("clarification_list", status=status, limit=MOST_LISTED)["clarifications"]
        return [row for row in rows if row["tree"] == self.tree]

    def last(self) -> Json | None:
        """The newest one that was not given up."""
        return next((row for row in self.sessions(None) if row["status"] != RESET), None)

    def session(self, session_id: str = "") -> Json:
        """The session that is named, else the only open one."""
        if session_id:
            return self.call("clarification_get", session_id=session_id)
        found = self.sessions()
        if not found:
            hint = 'begin with: deedlog clarify "what you want"; `deedlog clarify resume` begins an expired one again'
            raise NotFound("no clarification is open here", hint=hint, data={"code": "NO_ACTIVE_SESSION"})
        refuse_several(found)
        return self.call("clarification_get", session_id=found[0]["session_id"])

    def begun(self, request: Json) -> Json:
        """The request; one that was begun here already, and is open, goes on where it was left."""
        if request.keys() - {"user_intention", "answers"}:
            return request
        said = request["user_intention"].strip()
        for row in self.sessions():
            session = self.session(row["session_id"])
            if session["user_intention"] == said:
                return {**request, "session_id": row["session_id"]}
        return request


def refuse_several(found: list[Json]) -> None:
    if len(found) > 1:
        data: Json = {"code": "SEVERAL_SESSIONS", "sessions": [row["session_id"] for row in found]}
        hint = "name one with --session; `deedlog clarify status` lists them"
        raise Conflict(f"{len(found)} clarifications are open here", hint=hint, data=data)


class Recorded:
    """A conversation that is kept in the store and ends with the files."""

    writes = True

    def __init__(self, desk: Desk, intention: str, answer: Json) -> None:
        self._desk = desk
        self._intention = intention
        self.answer = answer

    @property
    def session_id(self) -> str:
        return str(self.answer.get("session_id", ""))

    def reply(self, answers: Json) -> None:
        request = {"user_intention": self._intention, "session_id": self.session_id, "answers": answers}
        try:
            self.answer = self._desk.call("require_clarification", **request)
        except Conflict as refusal:
            if refusal.data.get("code") != EXPIRED_CODE:
                raise
            self.answer = begun_again(self._desk, self._desk.session(self.session_id), answers)

    def check(self, answers: Json) -> Json:
        """What would come of these answers. What became of the session meanwhile is told when they are sent."""
        request = {"user_intention": self._intention, "session_id": self.session_id, "answers": answers}
        try:
            return self._desk.call("clarification_preview", **request)
        except (Conflict, NotFound):
            return {}

    def keep(self, answers: Json) -> None:
        """Record the answers of somebody who leaves, where the request stays open all the same."""
        still_open = [q for q in self.answer["questions"] if q["id"] not in answers and not q.get("optional")]
        if answers and still_open:
            try:
                self.reply(answers)
            except DeedlogError:
                return  # whoever leaves is not asked again


def begun_again(desk: Desk, session: Json, answers: Json) -> Json:
    """An expired session once more, with all that was known of it and what is answered now."""
    preferences = {name: True for name in ("force_adr", "waive_adr") if session.get(name)}
    known = {"optional_context": session.get("optional_context"), "preferences": preferences}
    request = {"user_intention": session["user_intention"], **{name: value for name, value in known.items() if value}}
    before = {**session["answers"], **dict.fromkeys(session["skipped"], SKIP)}
    try:
        answer = desk.call("require_clarification", **request, answers={**before, **answers})
    except Invalid:  # what was asked then is not asked now
        if not before:
            raise
        answer = desk.call("require_clarification", **request, answers=answers)
    desk.call("clarification_reset", session_id=session["session_id"])
    return answer


class Previewed:
    """A conversation of which nothing is kept: it shows what would come of it."""

    writes = False

    def __init__(self, desk: Desk, request: Json) -> None:
        self._desk = desk
        self._request = request
        self.answer = desk.call("clarification_preview", **request)

    def reply(self, answers: Json) -> None:
        self._request = self._with(answers)
        self.answer = self._desk.call("clarification_preview", **self._request)

    def check(self, answers: Json) -> Json:
        return self._desk.call("clarification_preview", **self._with(answers))

    def _with(self, answers: Json) -> Json:
        return {**self._request, "answers": {**self._request.get("answers", {}), **answers}}

    def keep(self, answers: Json) -> None: ...


def with_prompt(desk: Desk, answer: Json) -> tuple[Json, DeedlogError | None]:
    """A completed answer with the prompt for an agent beside it, which only the command line writes."""
    try:
        path = desk.call("clarification_prompt")["path"]
    except DeedlogError as error:
        return answer, error
    return {**answer, "agent_prompt": path}, None
