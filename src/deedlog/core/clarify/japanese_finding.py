"""What some rules look for in Japanese, where the words around a thing tell more than the words before it."""

from __future__ import annotations

import re

from deedlog.core.clarify import japanese
from deedlog.core.clarify.acts import DOCS, FIX, REFACTOR, TESTS
from deedlog.core.clarify.roles import WANTED
from deedlog.core.clarify.signals import is_specific

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.reading import Reading, Sentence
    from deedlog.core.clarify.signals import Signals

    Span = tuple[int, int] | None

_PREDICATE = r"(?=です|だ|で、|なの|ので|が|け|そう|ん|状態|も含|か|[。、\s)]|$)"
_UNSETTLED = re.compile(
    rf"(?:未定|未選定|未決定?|白紙|検討中|比較中|選定中|要検討|ノープラン){_PREDICATE}"
    rf"|(?:決ま|決め|選ん|選定し|調べ|検討し|考え)(?:って|て|で)い?(?:ない|ません){_PREDICATE}|決めかね|決めあぐね|"
    rf"決められず"
    r"|(?:案|候補|選択肢|叩き台|たたき台|比較表)を?(?:いくつか)?(?:出し|挙げ|くだ|作っ|まとめ|提示|見せ|ほし|欲し|"
    r"整理|比較|洗い出)|壁打ち|要相談|応相談"
    r"|(?:ツール|方式|方法|手段|製品|サービス|ライブラリ|技術|構成|言語|やり方|実現方法)は?(?:お任せ|任せ|問わない|"
    r"こだわりなし|何でも)"
    r"|(?:手段|方法|方式|構成|[一-鿿ぁ-ん]方|対策)を(?:検討|考え|提案|探|入れた|打ちた)"
    r"|どうしよう(?=[。\s?]|$)|どうしたもの|これから(?:決め|選|検討|考え)|(?:どの|どれ|どこ|何|どう|"
    r"いつ)[^。、]{0,12}か(?:は|も|を|で)?(?:これから|まだ|今後|別途|後で|後日|先に)?"
    r"(?:決め(?:たい|かね|てい|ます|て)|検討|相談|悩|迷|選び|考え)"
    r"|(?:選定|選び|方式|設計|技術選定|構成)から(?:一緒に)?(?:お願い|相談|考え|頼|やっ|手伝)|(?:固め|"
    r"すり合わせ)(?:て|たい|ておき)"
)
_WAYS = re.compile(
    r"か(?:、|。|,|\s)?[^。]{1,28}?(?<![どいなれずし])か(?=[、。\s)?]|どちら|どっち|どれ|で|を|は|も含|迷|悩|$)"
)
_HOW = re.compile(
    r"(?:いい|良い|よい|良さげな|よさげな|良さそうな|おすすめの?|オススメの?|お勧めの?|適切な|"
    r"何か)\S{0,8}(?:あり?る?|ない|ご存じ|教え)"
    r"|どう(?:やるの|すれば|したら|する(?:の|と)が?|しましょう|やって|やれば|実現|作れば|作るの)|何(?:を使|で作|がいい|"
    r"が良い)|どこ(?:に|を使|がいい)|どれ(?:を|が)"
)
_MACHINERY = re.compile(
    r"(?:基盤|土台|(?:自動|失敗|再実行|リトライ|サーバー?|データ|ログ|処理|バッチ|同期|配信|監視|検知|保存|開発|"
    r"デプロイ|テスト|ビルド|権限|検証|学習|実験|追跡|リクエスト|記録|監査|検索|認証|連携|配布|更新|復旧|集計|分析|"
    r"承認)"
    r"[^。、]{0,18}仕組み)(?:を|が|も|って)?(?:新しく|新たに)?(?:ほし|欲し|必要|要る|入れ|作り|作っ|用意|考え|導入|"
    r"整え|整備|構築|作れ|変え|見直|改め|刷新|ちゃんと|きちんと|しっかり)"
    r"|(?<!この)(?<!その)(?<!今の)(?:ツール|サービス|ソフト|製品|プラグイン|(?:できる|くれる|られる)(?:もの|"
    r"やつ))(?:を|が)(?:何か|1つ|一つ)?"
    r"(?:入れた|導入|使いた|ほし|欲し|探|契約|選)"
    r"|(?:的な|みたいな|のような)(?:もの|やつ|の|仕組み)(?:を|が)?(?:ほし|欲し|入れ|導入|用意|作り|挟)"
    r"|(?:手作業|手動|人手)[^。]{0,20}自動(?:化|で)|自動化(?:し|でき|を)(?:たい|て|るよう|検討|お願い|進め)"
)
_TRIFLES = re.compile(
    r"文言|色|デザイン|見た目|配置|レイアウト|日程|時期|期限|名前|名称|アイコン|金額|価格|料金|日付|スケジュール|担当|"
    r"書き方|細かい|順番|発売|公開日|リリース日|納期|場所は|会場"
)
_NAME = r"(?<![a-z0-9_./@#-])([a-z][a-z0-9+]*(?:[.-][a-z0-9]+)*(?:\s[a-z][a-z0-9+.-]*)?)(?:\s?v?\d[\d.]*)?\s?"
_BROUGHT = re.compile(
    _NAME + r"(?:(?:(?:という|っていう|って)?(?:パターン|アーキテクチャ|方式|ライブラリ|パッケージ|"
    r"サービス|フレームワーク|ツール|sdk|saas))?"
    r"(?:を|の)(?:導入|採用|組み込|入れ(?:て|たい|る|ます|よう)|使って|使いたい|使う|使おう|利用し|契約|埋め込)"
    r"|[にへ](?:移行|切り?替え|乗り換え|置き換え|寄せ|変更|変え|差し替え|書き換え|移す|移し|統一|一本化|任せ|"
    r"載せ替え|決ま|決定|しよう|したい|します)"
    r"|(?:経由で|を通して|を介して|と連携|に連携|で(?:[^、。\s]{0,6}を?)?(?:行う|管理したい|管理する|送りたい|"
    r"配信したい|一択|お願い|実装|構築|組みたい|やりたい|決まり|いく|行く)))"
)
_TO_AT_END = re.compile(r"から\s?" + _NAME.replace("(?<![a-z0-9_./@#-])", "") + r"[にへ](?=[。\s]*$|。)")
_PLAIN = frozenset(
    ("android", "ios", "iphone", "ipad", "chrome", "safari", "firefox", "edge", "windows", "macos", "mac", "linux",
     "excel", "word", "web", "google", "twitter", "facebook", "instagram", "youtube", "slack", "line", "tokyo", "japan",
     "english", "japanese", "ascii", "unicode", "boolean", "string", "true", "false", "null", "enum", "info", "debug"),
)  # fmt: skip
_SURELY = re.compile(r"\s?(?:(?:を|の)(?:導入|採用|組み込)|[にへ](?:移行|乗り換え|移し|移す|寄せ)|[にへ][。\s]*$)")
_WORD = re.compile(r"[a-z][a-z0-9_.-]{3,}|[a-z]{3}(?=\S*(?:導入|採用|寄せ))")
_HUMPS = re.compile(r"[A-Z]")
_VALUE = re.compile(
    r"タイムゾーン|フォント|色|文言|ラベル|ボタン|名前|名称|url|ドメイン|ホスト|表記|ロケール|変数|列|カラム|関数|"
    r"クラス|値|型"
)
_NEW = re.compile(
    r"(?:を|は|も|の開発を?|の新規開発を?)?\s?(?:新規に?|新しく|一から|1から|ゼロから|自分で|さくっと|簡単に)?"
    r"(?:作り|作っ|作る|作成|つくり|つくっ|つくる|開発|構築|立ち上げ|始め|はじめ|実装|書きたい|起こし)"
)
_INSIDE = ("管理画面", "api", "エディタ")  # made inside of something as often as on their own
_ANEW = re.compile(r"新規プロジェクト|技術スタック|技術選定|ゼロから|一から作")
_SET = re.compile(r"\d|有効|無効|オン|オフ|設定|環境変数|許可|`|[a-z]+_[a-z]+|true|false|だけ|のみ")
_SETTLED = re.compile(
    r"に(?:なり|なっ|決ま|する|し(?!ろ)|戻|変|移|切|統一)|です|で(?:す|いき|行|お願い|実装|統一|進め|確定)|"
    r"は[a-z]|どおり|通り|に(?:従|沿|合わせ)"
)
_LEAVING = re.compile(r"(?:やめ|抜け出し|脱却し|離れ|卒業し|脱し|手放し)(?:たい|よう|ること)")
_UNNEEDED = re.compile(
    r"使ってい?ない|使われてい?ない|不要|未使用|いらない|要らない|だけ|自前|自作|十分|コード|古い|残骸"
)
_MADE = re.compile(
    r"(?:の決定|決定事項|決めた|決まった|採用した|選んだ|経緯|理由|背景|判断)(?:を|は|こと|内容|、|について|と|も)"
)
_PLEASE = re.compile(
    r"[\s-]*(?:どうぞ|何卒|では|以上)?\S{0,4}(?:よろしく|宜しく|お願い|急ぎ|早め|対応|頼|すみません|お疲れ)"
)
_SMALL = re.compile(r"メッセージ|ラベル|文言|ボタン|アイコン|ツールチップ|見出し|エラー文|変数名|関数名|プレースホルダ")
_BARE = 12  # letters of a request that has a verb and hardly anything else
_POLITE = 14  # letters of a sentence that only says please


def unsettled(s: Signals) -> Span:
    """Something is said to be undecided, or two ways are set beside each other."""
    text = s.reading.text.text
    torn = any(
        sentence.has("decide") or _UNSETTLED.search(text, sentence.start, sentence.end)
        for sentence in s.reading.sentences
    )
    for number, sentence in enumerate(s.reading.sentences):
        if s.kinds_in(number) & {FIX, DOCS, TESTS} or _TRIFLES.search(text, sentence.start, sentence.end):
            continue
        if japanese.asks(s.reading, sentence) and (asked := _asked(s, sentence)):
            return asked
        found = _UNSETTLED.search(text, sentence.start, sentence.end)
        if not found and torn and not sentence.has("explain"):
            found = _WAYS.search(text, sentence.start, sentence.end)
        if not found and not s.of_role(WANTED) and not sentence.has("existing", "explain"):
            found = _MACHINERY.search(text, sentence.start, sentence.end)
        if found and not s.reading.within(found.start(), s.reading.quoted):
            return found.span()
    return None


def _asked(s: Signals, sentence: Sentence) -> Span:
    """Which one to take, or how to go about what is wished."""
    if sentence.has("openly"):
        return sentence.hits["openly"][0]
    how = _HOW.search(s.reading.text.text, sentence.start, sentence.end)
    others = [one for one in s.reading.sentences if one is not sentence or s.topics]
    wished = any(japanese.wishes(s.reading, one) for one in others)
    return how.span() if how and wished and not s.sentences_with("problem") else None


def unlisted(s: Signals) -> Span:
    """A name that no list knows is to be brought in or taken over."""
    reading = s.reading
    for sentence in reading.sentences:
        brought = _BROUGHT.finditer(reading.text.text, sentence.start, sentence.end)
        for match in (*brought, *_TO_AT_END.finditer(reading.text.text, sentence.start, sentence.end)):
            start, end = match.span(1)
            if _looks_named(reading, start, end) and _is_free(s, sentence, start, end):
                return start, end
    return None


def _looks_named(reading: Reading, start: int, end: int) -> bool:
    """Whether it is written as products are: Zendesk, NimBLE, PAY.JP; not useEffect, UTC or info."""
    if _SURELY.match(reading.text.text, end) and _WORD.fullmatch(reading.text.text, start, end):
        return reading.text.text[start:end] not in _PLAIN
    a, b = reading.text.span(start, end)
    written = reading.text.original[a:b]
    plain = written.lower() in _PLAIN or len(written) < len("Ory")
    return not plain and bool(_HUMPS.match(written)) and (any(map(str.islower, written)) or "." in written)


def _is_free(s: Signals, sentence: Sentence, start: int, end: int) -> bool:
    reading = s.reading
    text = reading.text.text
    known = any(one.start < end and start < one.end for one in s.mentions)
    named = reading.within(start, reading.code) or reading.within(start, reading.quoted)
    if known or named or sentence.has("existing", "deny", "past") or _VALUE.search(text, sentence.start, end):
        return False
    return japanese.is_wanted_name(reading, sentence, end, led=True)


def built(s: Signals) -> Span:
    """A product is to be made, not changed."""
    text = s.reading.text.text
    anew = _ANEW.search(text)
    if anew:
        return anew.span()
    for sentence in s.reading.sentences:
        for start, end in sentence.hits.get("product", []):
            if text[start:end] not in _INSIDE and _NEW.match(text, end) and japanese.wishes(s.reading, sentence):
                return start, end
    return None


def vaguely(s: Signals) -> Span:
    """What is wished is only a judgement; a reason that judges goes with a wish that says more."""
    text = s.reading.text.text
    if len(text.strip(" 。!")) < _BARE and not is_specific(text) and s.kinds() and s.kinds() <= {FIX, REFACTOR}:
        return 0, len(text)
    found = None
    for number, sentence in enumerate(s.reading.sentences):
        hits = sentence.hits.get("vague", [])
        last = japanese.part_at(s.reading, sentence, sentence.end - 1)[0]
        if sentence.end - last < _POLITE and "を" not in text[last : sentence.end]:
            last = sentence.start
        told = sentence.has("past") and not s.acts[number]
        if any(start >= last for start, _ in hits) and not told and not _is_exact(s.reading, sentence):
            found = found or hits[-1]
        elif not hits and japanese.wishes(s.reading, sentence) and not _PLEASE.match(text, sentence.start):
            return None
    return found if text.strip() else None


def _is_quoting(reading: Reading, sentence: Sentence) -> bool:
    return any(sentence.start <= start < sentence.end for start, _ in reading.quoted)


def _is_exact(reading: Reading, sentence: Sentence) -> bool:
    text = reading.text.text[sentence.start : sentence.end]
    return bool(re.search(r"\d", text) or _is_quoting(reading, sentence) or _SMALL.search(text)) or any(
        sentence.start <= start < sentence.end for start, _ in reading.code
    )


def sets_value(s: Signals, start: int) -> bool:
    """Whether a verb such as 上げる is about a value that is said."""
    part = japanese.part_at(s.reading, s.reading.sentence_at(start), start)
    return bool(_SET.search(s.reading.text.text, *part))


def leaves_nothing(s: Signals, rule: str) -> bool:
    """Whether everything is said: a decision that was made is written down, or what comes instead has a name."""
    text = s.reading.text.text
    if rule in ("structure.replace", "structure.migrate") and not s.of_role(WANTED):
        if unlisted(s):
            return True
        at = japanese.successor_at(text)
        return at >= 0 and not any(one.end > at for one in s.topics)
    return rule == "structure.unknown" or (rule == "asked.adr" and bool(_MADE.search(text)))


def has_settled(s: Signals, sentence: Sentence) -> bool:
    """Whether 方針 or 方式 is what was settled on, not what is open."""
    return any(_SETTLED.match(s.reading.text.text, end) for _, end in sentence.hits["strategy"])


def met(s: Signals) -> set[int]:
    """Where the topics stand that a sentence says what to take for: AにBを使う."""
    places = [(one.start, one.technology.area) for one in s.of_role(WANTED)]
    name = unlisted(s)
    places += [(name[0], "")] if name else []
    found = set()
    for one in s.topics:
        stop = s.reading.sentence_at(one.start).end
        found |= {one.start for at, area in places if one.start <= at < stop and area != one.topic.area}
    return found


def is_left_open(s: Signals) -> bool:
    """Whether a technology is to go that somebody still needs, and nothing is said of what comes then."""
    text = s.reading.text.text
    return len(s.reading.sentences) == 1 and bool(_LEAVING.search(text)) and not _UNNEEDED.search(text)
