"""Japanese tells what a sentence does at its end, and what a word is for by the particle behind it."""

from __future__ import annotations

import pytest

from deedlog.core.clarify.gate import judge
from deedlog.core.clarify.values import Facts, Verdict
from deedlog.survey.lexicon import read

FACTS = Facts(ecosystems=["javascript"], technologies={"Express": "package.json"})


def verdict(text: str) -> Verdict:
    return judge(text, FACTS, read(""))


def decided(text: str) -> list[str]:
    return [one.value for one in verdict(text).decided]


@pytest.mark.parametrize(
    "text",
    [
        "ジョブは BullMQ に寄せたい",
        "BullMQでいこうと思います",
        "ジョブ基盤、BullMQ一択で。導入お願い。",
        "会議の結果、BullMQを使うことになりました。",
        "重い処理を裏に回したい。使うのはBullMQで。",
        "検索が遅いのでBullMQに載せ替えて",
    ],
)
def test_a_technology_is_wanted_however_the_sentence_ends(text: str) -> None:
    assert "BullMQ" in decided(text)
    assert verdict(text).adr


@pytest.mark.parametrize(
    "text",
    [
        "BullMQのジョブが二重に登録されることがある",
        "先月BullMQに切り替えてから順番が入れ替わる",
        "BullMQに渡すパラメータに注文番号を追加してください",
        "BullMQが落ちても注文は受け付けられるように直して",
        "BullMQへの接続が切れたあと再接続されない",
        "BullMQって使ってましたっけ?",
    ],
)
def test_a_technology_that_is_told_of_is_not_decided(text: str) -> None:
    assert "BullMQ" not in decided(text)
    assert not verdict(text).adr


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("社内の人しか使えないようにしたい", "auth_strategy"),
        ("登録した人にお礼メール送りたい 今メール送る仕組みない", "email"),
        ("レポート作成で待たされるので、裏で動かすようにしたい", "queue"),
        ("サーバーが落ちても誰も気づかないので、エラーが出たら通知が来るようにしたい", "observability"),
        ("領収書の写真をアップできるようにしたい", "file_storage"),
        ("記事の更新を非エンジニアでもできるようにしたい", "cms"),
        ("機種変更しても続きから遊べるようにしたい", "sync_strategy"),
        ("プルリクのときに自動でチェックが走るようにしたい", "ci"),
    ],
)
def test_what_should_be_possible_asks_for_the_part_that_makes_it_so(text: str, question: str) -> None:
    assert verdict(text).adr
    assert question in [one.id for one in verdict(text).questions]


@pytest.mark.parametrize(
    "text",
    [
        "アップロードできるファイルの上限を10MBから20MBに上げてください",
        "ログイン画面のパスワード欄に目のアイコンを付けて表示切替できるようにしてください",
        "毎朝9時に送られるレポートメールの件名に日付を入れてください",
        "プッシュ通知の文面を変更したいです。「新着があります」→「お知らせがあります」",
        "プッシュ通知をタップしても詳細に飛ばず、ホームが開きます。",
        "キャッシュを使わないオプション --no-cache を追加",
        "検索結果が0件のときのメッセージを追加",
        "メール送信ジョブのリトライ回数を3回にしてください",
    ],
)
def test_a_wish_about_one_thing_of_a_part_needs_no_decision(text: str) -> None:
    assert not verdict(text).adr
    assert not verdict(text).questions


@pytest.mark.parametrize(
    "text",
    [
        "もっと使いやすくしてください",
        "需要予測の精度をもっと上げたい",
        "スマホで見たときにイマイチなので直してください",
        "「もっとワクワクする画面にして」と言われています。",
        "リファクタリングして",
    ],
)
def test_a_mere_judgement_asks_what_is_meant(text: str) -> None:
    assert not verdict(text).adr
    assert [one.id for one in verdict(text).questions] == ["scope", "acceptance_criteria"]


def test_a_judgement_that_is_only_the_reason_asks_nothing() -> None:
    assert not verdict("一覧が見づらいので、列幅を広げて").questions
    assert not verdict("集計クエリが遅い。インデックス貼って").questions


@pytest.mark.parametrize(
    "text",
    [
        "推論結果をどう渡すか決めかねています。APIで返すか、夜間にどこかへ置くか。",
        "通信方式は白紙です。遠隔操作できる口を設けたい。",
        "サーバー側をどうするか悩んでいる。ランキングを入れたい。",
        "失敗したら自動でやり直す仕組みがほしい",
    ],
)
def test_what_is_said_to_be_open_is_asked(text: str) -> None:
    assert verdict(text).adr
    assert verdict(text).questions


def test_a_name_that_no_list_knows_is_brought_in_and_nothing_asked() -> None:
    found = verdict("帳票はFooReportsからBarSheetsへ移行します")
    assert (found.adr, found.rule, found.questions) == (True, "structure.unknown", [])
    assert not verdict("タイムゾーンをLondonからParisに変更してください").adr
