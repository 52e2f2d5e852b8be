"""Keys from the environment, a private file and the keyring."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from stat import S_IMODE
from types import ModuleType

import pytest

from deedlog.core.errors import Denied, Invalid, Unavailable
from deedlog.core.gate.server import Server
from deedlog.gateway.configuration.secrets import Secrets
from deedlog.gateway.places import Places


class Ring(ModuleType):
    """What the package `keyring` offers."""

    def __init__(self) -> None:
        super().__init__("keyring")
        self.kept: dict[tuple[str, str], str] = {}
        self.fails = False

    def _works(self) -> None:
        if self.fails:
            raise RuntimeError("no back-end; the password was hunter2")

    def get_password(self, service: str, name: str) -> str | None:
        self._works()
        return self.kept.get((service, name))

    def set_password(self, service: str, name: str, value: str) -> None:
        self._works()
        self.kept[service, name] = value

    def delete_password(self, service: str, name: str) -> None:
        self._works()
        del self.kept[service, name]


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> Ring:
    ring = Ring()
    monkeypatch.setitem(sys.modules, "keyring", ring)
    return ring


def secrets_in(folder: Path, **environment: str) -> Secrets:
    names = ("root", "store", "state", "home")
    return Secrets(Places(**dict.fromkeys(names, str(folder)), user=str(folder / "user"), environment=environment))


def put(folder: Path, content: object, mode: int = 0o600) -> Path:
    path = folder / "user/secrets.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    path.chmod(mode)
    return path


def test_a_key_is_kept_in_a_private_file_and_found_again(tmp_path: Path) -> None:
    secrets = secrets_in(tmp_path)
    assert secrets.look_up("KEY") is None
    where = secrets.put("KEY", "hunter2")
    assert S_IMODE(os.stat(where).st_mode) == 0o600
    assert secrets_in(tmp_path).look_up("KEY") == secrets.look_up("KEY") == "hunter2"
    assert secrets.known() == secrets.names() == {"KEY": "file"}
    assert secrets.remove("KEY")
    assert not secrets.remove("KEY")
    assert secrets.look_up("KEY") is None


def test_the_environment_comes_first_and_an_empty_variable_counts_as_none(tmp_path: Path) -> None:
    secrets = secrets_in(tmp_path, ONE="from here", TWO="")
    secrets.put("ONE", "from file")
    secrets.put("TWO", "from file")
    assert (secrets.look_up("ONE"), secrets.look_up("TWO")) == ("from here", "from file")
    assert secrets.known() == {"ONE": "environment", "TWO": "file"}


@pytest.mark.proves("gate:secret:private-file")
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_not_used_and_says_how_to_mend_it(tmp_path: Path, mode: int) -> None:
    path = put(tmp_path, {"KEY": "hunter2"}, mode)
    secrets = secrets_in(tmp_path)
    assert secrets.look_up("KEY") is None
    assert secrets.known() == {}
    [warning] = secrets.warnings()
    assert f"chmod 600 {path}" in warning
    for change in (lambda: secrets.put("A", "b"), lambda: secrets.remove("KEY"), secrets.names):
        with pytest.raises(Denied, match="others can read it"):
            change()
    assert json.loads(path.read_text()) == {"KEY": "hunter2"}
    path.chmod(0o600)
    assert secrets.look_up("KEY") == "hunter2"
    assert secrets.warnings() == []


@pytest.mark.parametrize("content", ["{", "[]"])
def test_a_broken_file_is_a_warning_and_never_overwritten(tmp_path: Path, content: str) -> None:
    path = put(tmp_path, content)
    secrets = secrets_in(tmp_path, OTHER="x")
    assert secrets.known() == {"OTHER": "environment"}
    assert str(path) in secrets.warnings()[0]
    with pytest.raises(Denied):
        secrets.put("A", "b")
    assert path.read_text() == content


def test_a_key_in_the_keyring_is_named_in_the_file_and_kept_in_the_keyring(tmp_path: Path, ring: Ring) -> None:
    secrets = secrets_in(tmp_path)
    assert secrets.put("KEY", "hunter2", in_keyring=True) == "the keyring"
    assert "hunter2" not in (tmp_path / "user/secrets.json").read_text()
    assert ring.kept == {("deedlog", "KEY"): "hunter2"}
    assert secrets_in(tmp_path).look_up("KEY") == "hunter2"
    assert secrets.known() == {"KEY": "keyring"}
    secrets.put("KEY", "other")
    assert ring.kept == {}
    assert secrets.known() == {"KEY": "file"}


def test_a_keyring_that_fails_is_as_good_as_none(tmp_path: Path, ring: Ring) -> None:
    secrets_in(tmp_path).put("KEY", "hunter2", in_keyring=True)
    ring.fails = True
    secrets = secrets_in(tmp_path, OTHER="x")
    assert secrets.known() == {"OTHER": "environment", "KEY": "keyring"}  # nobody asked it yet
    assert secrets.known(["KEY"]) == {"OTHER": "environment"}
    assert secrets.known() == {"OTHER": "environment"}
    assert secrets.look_up("KEY") is None
    with pytest.raises(Unavailable) as refused:
        secrets.put("KEY", "hunter2", in_keyring=True)
    assert "hunter2" not in f"{refused.value.message} {refused.value.hint} {refused.value.data}"
    assert secrets.remove("KEY")


def test_without_the_package_a_keyring_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(Unavailable) as refused:
        secrets_in(tmp_path).put("KEY", "x", in_keyring=True)
    assert "deedlog[keyring]" in refused.value.hint
    put(tmp_path, {"KEY": {"in": "keyring"}})
    assert secrets_in(tmp_path).known() == {}


@pytest.mark.proves("gate:secret:only-its-server")
def test_the_secrets_of_a_server_are_those_it_names_and_those_it_holds(tmp_path: Path) -> None:
    secrets = secrets_in(tmp_path, HOME="/home/me", ONE="first-key", TWO="second-key", MODE="1")
    server = Server(
        name="x",
        command="run",
        args=["--key=${ONE}", "--token", "plain-key", "${HOME}/x"],
        env={"A_KEY": "literal-key", "MODE": "${MODE}", "LEVEL": "debug"},
    )
    assert set(secrets.values_for(server)) == {"first-key", "plain-key", "literal-key"}
    assert secrets.values_for(Server(name="y", command="run")) == []


@pytest.mark.parametrize("key", ["", "a b", "1KEY", "K=V", "ключ", "../x"])
def test_a_key_needs_a_name_that_an_environment_could_have(tmp_path: Path, key: str) -> None:
    with pytest.raises(Invalid):
        secrets_in(tmp_path).put(key, "x")
    assert not (tmp_path / "user").exists()
