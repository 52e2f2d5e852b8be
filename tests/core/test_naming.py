"""The words of names, in the styles and languages people write them."""

from __future__ import annotations

import pytest

from deedlog.core.naming import numbers, plain, spellings, stem, words


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("HTTPApiClient", "http api client"),
        ("http-api_client.v2", "http api client v 2"),
        ("useOAuth2Token", "use oauth 2 token"),
        ("PublicAPIs", "public apis"),
        ("IDsByURL", "ids by url"),
        ("parseHTMLString", "parse html string"),
        ("XMLHttpRequest", "xml http request"),
        ("iOSApp", "ios app"),
        ("GitHubJavaScript", "github javascript"),
        ("20240115CreateUsers", "20240115 create users"),
        ("__init__", "init"),
        ("[...slug]", "slug"),
        ("---", ""),
        ("", ""),
        ("RéseauLocal", "reseau local"),
        ("Ｆｕｌｌ幅", "full 幅"),
        ("ユーザー認証API", "ユーザー 認証 api"),
        ("らーめん屋", "らーめん 屋"),
        ("佐々木さん", "佐々木 さん"),
        ("ПользовательСервис", "пользователь сервис".replace("й", "и")),
        ("사용자설정", "사용자설정"),
        ("हिन्दी-फ़ाइल", "हिन्दी फ़ाइल"),
    ],
)
def test_a_name_comes_apart_into_words(name: str, found: str) -> None:
    assert words(name) == [plain(word) for word in found.split()]


def test_accents_and_case_go_and_other_letters_stay_other_letters() -> None:
    assert plain("ÉTÉ") == plain("ete\u0301") == "ete"
    assert plain("バス") != plain("ハス")
    assert plain("œuvre Æon Łódź") == "oeuvre aeon lodz"


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("auth.test.ts", "auth.test"),
        (".env", ".env"),
        (".env.local", ".env.local"),
        ("Dockerfile.api", "Dockerfile.api"),
        ("README", "README"),
        (".eslintrc.js", ".eslintrc"),
        ("a.", "a"),
    ],
)
def test_the_last_extension_is_no_part_of_the_name(name: str, bare: str) -> None:
    assert stem(name) == bare


def test_neighbouring_words_may_be_written_together() -> None:
    assert spellings("GitLab-web_socket") == {"gitlab", "web", "socket", "gitlabweb", "websocket", "gitlabwebsocket"}
    assert len(spellings("a-" * 120)) == 8


@pytest.mark.parametrize(
    "pair",
    [
        *("user users", "category categories", "movie movies", "box boxes", "class classes", "cache caches"),
        *("status statuses", "hero heroes", "index indices", "person people", "child children", "analysis analyses"),
        *("niveau niveaux", "journal journaux", "jeu jeux", "ユーザ ユーザー", "db dbs", "quiz quizes"),
    ],
)
def test_singular_and_plural_are_one_word(pair: str) -> None:
    one, many = pair.split()
    assert many in numbers(one)
    assert one in numbers(many)


@pytest.mark.parametrize(
    "pair", ["io ios", "http https", "new news", "c cs", "clas class", "auth author", "as ass", "user use"]
)
def test_a_letter_more_does_not_always_make_a_plural(pair: str) -> None:
    one, other = pair.split()
    assert other not in numbers(one)
    assert one not in numbers(other)
