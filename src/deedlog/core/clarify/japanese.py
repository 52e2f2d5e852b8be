"""How a Japanese sentence says what it does. Its mood stands at the end, and particles tell what each word is for."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.acts import Act
    from deedlog.core.clarify.reading import Reading, Sentence, Span

_DEEDS = ("introduce", "replace", "migrate", "remove", "upgrade", "refactor", "configure", "fix")
# みたい is a wish after a verb (試してみたい), a likeness after a noun or a whole sentence (出ないみたい)
_DESIRE = re.compile(
    r"(?<!み)(?<!冷)(?<!重)(?<!だい)(?<!いっ)たい(?!てい|し[たて]|へん)|(?<=[てでし一-鿿])みたい(?!な|に|だ)|"
    r"たく(?:存じ|思|ない)"
    r"|ほしい|欲しい|ほしく|欲しく|ください|下さい|くださ[りる]|お願い|おねがい|願います|頼む|頼みます|頼める|たのむ"
    r"|必要(?!以上|な(?!の|ん|ので)|性)|要る|要ります|いります|べき|もらえ|もらいたい|貰え|いただけ|いただき|頂け|"
    r"頂き|てくれ|でくれ"
    r"|ように(?:し|する|なり|なる(?:と|のが))|助かります|ありがたい|嬉しい|うれしい|といいな|といいので|と良い|"
    r"どうでしょう|どうかな"
)
_ENDINGS = (
    r"(?:です|だ|か|よ|ね|なぁ?|なあ|かな|と思います|と思ってい?ます|と思う|と考えてい?ます|んですが|のですが|"
    r"んだけど|けど|が|と)*"
)
_RESOLVED = (
    r"(?:こと(?:に|と)(?:なり|なっ|し|する)\S{0,4}|[がにで](?:決まり|決まっ|決め|決定|確定)\S{0,4}|方針(?:に|と|"
    r"で)\S{0,6}|(?:方向|形|案|線)(?:で|に)(?:まとま|合意|落ち着|なり|なっ|決|進め|調整)\S{0,6}|予定|計画|想定|運び|"
    r"つもり|方向で?|"
    r"ましょう|[しえけげせてねべめれみ]よう|[一-鿿]そう|[こおものろとごぼ]う|(?:と|よう|との|"
    r"という)(?:に)?(?:言われ|頼まれ|依頼|指示|要望|要請)\S{0,8}|で(?:十分|いい|良い|よい|ok|構い?ません|構わない|"
    r"大丈夫))"
)
_VERBAL = r"(?:[うくぐすつぬぶむる]|ます)"
_CALLED = (
    r"(?:[てで]|とく|の上|こと|\w化|[へをにも]|希望|必須|よろしく|よろ|切替え?|切り替え|置き換え|"
    r"乗り換え|差し替え|入れ替え|"
    r"導入|追加|採用|移行|対応|構築|整備|作成|実装|検討|統一|一本化|刷新|連携|設置|新設|変更|延長|使用|利用|保存|"
    r"配信|送信|公開|集約|統合|撤去|"
    r"廃止|削除|移管|移設|置換|搭載|用意|選定|運用|管理|出力|実行|稼働|生成|計測|監視|収集|(?:作り|書き|やり|組み|見)直し|載せ替え|作り替え|書き換え|引っ越し)"
)
_TRAILING = re.compile(r"(?:\([^()]*\)|[\s。.!?…~〜☆♪)」])+$")
_RESOLVES = re.compile(rf"{_RESOLVED}{_ENDINGS}$")
_CALLS = re.compile(rf"{_CALLED}(?:です|だ|ね|よ|な|で)*$")
_PLANS = re.compile(rf"{_VERBAL}{_ENDINGS}$")
_STATES = re.compile(
    r"(?:[てで]い[るま]す?|てる|てます|でる|であ[るり]|てあ[るり]|です|でした|ました|だった|ある|あります|いる|"
    r"います|なる|なります|ちゃう|"
    r"ちゃいます|しまう|しまいます|られる|される|されます|見える|思われる|らしい|っぽい|模様|ようです?|みたいです?|"
    r"はず|はずです)"
    rf"{_ENDINGS}$"
)
_NEGATIVE = re.compile(
    r"(?:ない|ません|ず|なかった|なく(?:なる|なっ|なり)\S*)(?:です|ん|の|みたい|ようで?す?|模様|ね|よ|が|、)*$"
)
_REQUESTED_NEGATIVE = re.compile(
    r"(?:ないで|なければなら|ないと(?:いけ|ダメ|困)|もらえ|いただけ|くれ|られ|でき)\S{0,3}(?:ない|ません)\S*$"
)
_JUDGES = re.compile(r"(?:い|すぎ|すぎる|面倒|限界|不便|大変|微妙)(?:です|だ|な)?$")
_COULD_YOU = re.compile(r"(?<!なんで)(?:でき|[えけせてねめれべげ])(?:ない|ません|る|ます)(?:か|かな|かね|の|もの)?$")
_CHUNKS = re.compile(r"(?<=[いるうてねよたすくむう〜~!])\s+")
_MEANS = re.compile("[でにをへ]")
_LAST_WORDS = 8  # letters at the end of a sentence in which its verb begins to end
# what comes before these tells why, or when; the wish comes behind them
_PART_ENDS = re.compile(
    r"[、,。]|ので|のため(?!に)|(?<=[いるただな])ため|けれども?|けど|ですが|ますが|(?<=[いただる])が[、\s]|ものの|"
    r"のに(?!し|す)|し、|おり、|て、|"
    r"から(?=[、\s])|(?<=[いるうてねよたすくむ])\s"
)
_CIRCUMSTANCE = re.compile(
    r"(?:[うくぐすつぬぶむる]と(?![いう思言のこか良決き]|して)|たら|だら|[てで]も(?![らい])|[えけせてねべめれげ]ば|"
    r"際(?:に|の|、)|場合|"
    r"たとき|るとき|た時|る時|時に|時の|とき[に、だ]|後に|後、|後の|たあと|た後|最中|途中|たまま|る度|るたび|"
    r"だと(?!思))"
)
_IS_SUBJECT = re.compile(
    r"(?:が|は|の|も|と|や|に(?![しす対])|時|中|後|前|先|用|側|量|数|済|画面|履歴|失敗|エラー|結果|ボタン)"
)
_STILL_WANTED = re.compile(
    r"(?:が|は|も)(?:必要|必須|ほしい|欲しい|要る|いる|いい|良い|したい|でき|未|まだ|無|ない|白紙|やりたい|"
    r"入れたい)|の(?:検討|導入|追加|実装|構築|整備|対応|お願い|仕組み|方針|方式|方法)|も(?:対応|追加|導入|お願い|"
    r"やり|入れ|付け|し)|にした|と連携|と繋|とつな"
)
_TAKEN = re.compile(
    r"\s?(?:[をにへ+&/]|で(?!は|の|も)|一択|経由|を?採用|を?導入|のやつ[でを]|の(?:採用|導入|利用|使用|契約)|化|使用|利用|"
    r"が(?:いい|良い|よい|ほしい|欲しい|必要)|でお願い|[。、\s]|$)"
)
_ON_SCREEN = re.compile(
    r"画面|一覧|ボタン|欄|フォーム|件名|タイトル|ラベル|ダイアログ|ヘッダー|フッター|メニュー|アイコン|テンプレート|"
    r"文面|本文の|画像(?:で|として)|ファイル(?:で|に|として)|上限|並び順|表示名|差出人"
)
_ATTRIBUTE = re.compile(
    r"(?:る|た|ている|された|される)?(?!よう|こと|環境|仕組|機能|手段|方法|サービス|基盤|もの|やつ|口|時|際|人|件|処理)"
    r"[一-鿿ァ-ヴー]{1,8}[のをがに]|の(?!仕組|機能|環境|手段|方法|基盤|こと|導入|追加|実装|対応|処理|"
    r"よう)[一-鿿ァ-ヴー]+[をがはに]"
)
_OTHER_OBJECT = re.compile(r"(?<!の)を")
_OWN_OBJECT = 6  # letters after a need in which its own object stands: 集計処理を自動化
_ASKS = re.compile(r"(?:か|かね|かな|かなあ|でしょうか|だろうか|ですかね)$")
_COMPOUND = re.compile(
    r"\s?(?!化|経由|導入|採用|移行|対応|連携|使用|利用|方式|版|製|等|一択|以外|高|側)[一-鿿ァ-ヴ]{2,}"
)
_BRINGS = re.compile(
    r"を(?:新規に?|新しく)?(?:導入|追加|入れ|実装|採用|使|構築|用意|組み込)|に(?:移行|切り?替え|置き換え|乗り換え|"
    r"変更|対応|する|した|して|戻)"
)
_SWAPPED_IN = re.compile(
    r"\s?(?:[にへ](?:置き換え|移行|移す|移し|乗り換え|切り?替え|差し替え|書き換え|リプレ)|を(?:導入|採用|組み込))"
)
_TO_SOMETHING = re.compile(
    r"から(?![^、。]*(?:何か|なにか|別の|他の|どこか|どれか|適当な))[^、。]{2,24}[にへ](?:変|替|換|移|切|乗|置|差|書)"
)
_SETTLED_ON = re.compile(r"\s?[にで](?:統一|一本化|寄せ|揃え|そろえ|まとめ|統合|集約)")
_LABEL = re.compile(
    r"(?:先|場所?|ランタイム|ライブラリ|フレームワーク|方式|方法|手段|言語|プロバイダー?|サービス|基盤|ツール|"
    r"ストレージ|プロトコル|使うのは|ブローカー|"
    r"キュー|認証|決済|検索|キャッシュ|監視|通知|エンジン|ミドルウェア|ホスティング|インフラ|バックエンド|フロント|"
    r"クライアント|採用|変更後|移行後|新方式|新)"
    r"(?:は|:|=)\s*(?:[a-z0-9. +]{0,16}[+と、/]\s*)?$"
)
_ONLY_NAMES = re.compile(r"[\s-]*[a-z][a-z0-9.# -]*(?:\s?[+&/,、と]\s?[a-z][a-z0-9.# -]*)*[\s。.]*")
_BY_METHOD = re.compile(r"の[^、。]{0,16}方式[でに]")
_REMARKED = re.compile(r"(?:\s?\d[\d.]*)?(?:です|で(?:す|[。、\s]|$)|[。、,(+/\s]|と|$|の[^、。]{0,16}方式[でに])")
_REQUESTS = re.compile(r"(?:いただけ|もらえ|くれ|頂け|お願いでき|いただけない|もらえない|いただけます|くれない)$")
_OF_SCREEN = re.compile(r"欄|機能|投稿|数|一覧|を?(?:付け|投稿|書き込)")
_BEGINS = re.compile(
    r"(?:環境)?(?:を|も|が)?(?:始め|はじめ|導入|整備|でき|やり|やっ|入れ|組み|構築|回せ|自動|したい|する|に|で)"
)
_UNUSED = re.compile(
    r"[をはも]?(?:使わ|使い(?:ませ|たくな)|利用し(?:な|ませ)|経由(?:せ|し)な|無視|無効|スキップ|クリア|消)"
)
_PATCHED = re.compile(r"\s?v?\d+\.\d+\.\d+\s?を\s?v?\d+\.\d+\.\d+")
_RELATIVE = re.compile(
    r"[にでへを][^、。をにで\s]{1,8}?(?:する|した|している|[いきしちりえけせてめれっ]た|[うくすつむる])"
    r"(?:前に|後に|際|とき|時に|(?!予定|方針|計画|構成|方向|仕組|必要|方式|形|話|流れ|運び|案|場合|為|感じ|"
    r"みたい)[一-鿿ァ-ヴー]{2,}[をにがはの])"
)
_NOMINAL = re.compile(r"[一-鿿ァ-ヴー]$")


def desires(text: str, start: int, end: int) -> bool:
    """Whether somebody says in so many words that they want something."""
    return bool(_DESIRE.search(text, start, end))


def wishes(reading: Reading, sentence: Sentence) -> bool:
    """Whether a sentence wants, plans or orders something: not how it is, nor what goes wrong."""
    text = reading.text.text
    if desires(text, sentence.start, sentence.end):
        return True
    return any(_closes_wishing(reading, sentence, start, end) for start, end in _chunks(text, sentence))


def _chunks(text: str, sentence: Sentence) -> list[Span]:
    """What people who set no full stops put blanks between."""
    ends = [match.end() for match in _CHUNKS.finditer(text, sentence.start, sentence.end)]
    return list(zip([sentence.start, *ends], [*ends, sentence.end], strict=True))


def _closes_wishing(reading: Reading, sentence: Sentence, start: int, end: int) -> bool:
    closing = _TRAILING.sub("", reading.text.text[start:end])
    if _RESOLVES.search(closing):
        return True
    if sentence.asks and _COULD_YOU.search(closing) and not sentence.has("problem"):
        return True
    if _NEGATIVE.search(closing) and not _REQUESTED_NEGATIVE.search(closing):
        return False
    if _CALLS.search(closing):
        return True
    if sentence.has("problem") or _STATES.search(closing) or not _PLANS.search(closing):
        return False
    last = start + len(closing)
    part = part_at(reading, sentence, last - 1)[0]
    led = any(part <= hit.start < end and _MEANS.match(reading.text.text, hit.end) for hit in reading.names)
    if led and "が" not in closing[max(0, part - start) :]:
        return True
    ends = [b for kind in _DEEDS for _, b in sentence.hits.get(kind, [])] + [hit.end for hit in reading.topics]
    return any(last - _LAST_WORDS < b <= last for b in ends)


def part_at(reading: Reading, sentence: Sentence, at: int) -> Span:
    """The part of a sentence around a place, between the words that join a reason to what follows from it."""
    start = sentence.start
    for match in _PART_ENDS.finditer(reading.text.text, sentence.start, sentence.end):
        if match.start() >= at:
            return start, match.start()
        start = match.end()
    return start, sentence.end


def is_blamed(reading: Reading, sentence: Sentence, end: int) -> bool:
    """Whether what ends here is said to fail, or is when or where something happens."""
    stop = part_at(reading, sentence, end)[1]
    if fails(reading, sentence, end):
        return True
    return bool(_CIRCUMSTANCE.search(reading.text.text, end, min(stop + 1, sentence.end)))


def fails(reading: Reading, sentence: Sentence, end: int) -> bool:
    stop = part_at(reading, sentence, end)[1]
    return any(end <= start < stop for start, _ in sentence.hits.get("problem", []))


def is_need(reading: Reading, sentence: Sentence, start: int, end: int) -> bool:
    """Whether it is what people want to be able to do, and not said of a thing that they want changed."""
    text = reading.text.text
    if is_told(reading, sentence, end) or fails(reading, sentence, end) or _ON_SCREEN.search(text, start, end):
        return False
    stop = part_at(reading, sentence, end)[1]
    quoted = any(start < a < end or a <= start < b for a, b in reading.quoted)
    if quoted or _ATTRIBUTE.match(text, end) or _OTHER_OBJECT.search(text, end + _OWN_OBJECT, stop):
        return False
    return desires(text, start, sentence.end) or wishes(reading, sentence)


def asks(reading: Reading, sentence: Sentence) -> bool:
    """Japanese needs no question mark to ask."""
    return sentence.asks or bool(_ASKS.search(_TRAILING.sub("", reading.text.text[sentence.start : sentence.end])))


def is_predicate(reading: Reading, act: Act) -> bool:
    """Whether a verb's noun is used as a verb: 同期する, not 同期が or 同期の."""
    text = reading.text.text
    if not _NOMINAL.search(act.word) or not _IS_SUBJECT.match(text, act.end):
        return True
    return bool(_STILL_WANTED.match(text, act.end))


def is_told(reading: Reading, sentence: Sentence, end: int) -> bool:
    """Whether the part of a sentence that what ends here stands in tells how things are."""
    start, stop = part_at(reading, sentence, end)
    first = max(start, end)
    part = _TRAILING.sub("", reading.text.text[first:stop])
    if desires(reading.text.text, first, stop) or _RESOLVES.search(part) or _CALLS.search(part):
        return False
    return bool(_STATES.search(part) or _NEGATIVE.search(part) or _JUDGES.search(part))


def is_wanted_name(reading: Reading, sentence: Sentence, end: int, *, led: bool) -> bool:
    """Whether a technology is what a wish is for; `led`: a verb that brings something in governs it."""
    if not wishes(reading, sentence) or is_blamed(reading, sentence, end) or is_told(reading, sentence, end):
        return False
    if _RELATIVE.match(reading.text.text, end) or _PATCHED.match(reading.text.text, end):
        return False
    if _COMPOUND.match(reading.text.text, end) and not _BRINGS.search(reading.text.text, end, sentence.end):
        return False
    return led or bool(_TAKEN.match(reading.text.text, end))


def is_swapped_in(text: str, end: int) -> bool:
    """Whether the words behind a name can only be said of a technology."""
    return bool(_SWAPPED_IN.match(text, end))


def successor_at(text: str) -> int:
    """Where it is said what comes instead, known or not: from X to our own; -1 if it is not."""
    found = _TO_SOMETHING.search(text)
    return found.start() if found else -1


def is_settled_on(text: str, end: int) -> bool:
    """Whether everything is to be brought to the name that ends here: Xに統一."""
    return bool(_SETTLED_ON.match(text, end))


def is_no_act(reading: Reading, act: Act) -> bool:
    """Whether a word of a quiet verb is none here: 学習し直す is no fix, コメント欄 is no comment."""
    text = reading.text.text
    if act.kind == "fix":
        return act.word.startswith("直") and text[act.start - 1 : act.start] in tuple("しりきえみびちいけせぎ見組練")
    if act.kind == "configure":
        return not is_predicate(reading, act)
    if act.kind == "explain":
        return act.word.startswith(("ます", "でしょう")) and bool(_REQUESTS.search(text, 0, act.start))
    if act.kind == "docs":
        return bool(_OF_SCREEN.match(text, act.end))
    topical = any(hit.start <= act.start and act.end <= hit.end for hit in reading.topics)
    if act.kind == "upgrade":
        return topical
    return act.kind in ("tests", "refactor") and topical and bool(_BEGINS.match(text, act.end))


def is_chosen(reading: Reading, sentence: Sentence, start: int, end: int) -> bool:
    """Whether a remark says what to take for a part of what is wished: 保存先はS3."""
    text = reading.text.text
    label = _LABEL.search(text, sentence.start, start) or _BY_METHOD.match(text, end)
    faulty = any(one.has("problem") for one in reading.sentences)
    if _ONLY_NAMES.fullmatch(text, sentence.start, sentence.end) and not faulty:
        return any(wishes(reading, one) for one in reading.sentences)
    return bool(label and _REMARKED.match(text, end)) and not faulty and not sentence.has("existing", "past")


def is_unused(text: str, end: int) -> bool:
    return bool(_UNUSED.match(text, end))
