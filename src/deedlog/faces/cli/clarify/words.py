"""What the terminal says of its own in a conversation, in the languages that are asked in.

Texts in English are the keys of what they are in French and Japanese.
"""

from __future__ import annotations

from deedlog.core.clarify.values import OTHER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

KEYS = "Enter takes what is recommended · a number or your own text · s skips · b goes back · ? tells why"
KEYS_OF_MULTI = "numbers or texts, with commas between them · Enter takes what is recommended · s skips · b goes back"
KEYS_OF_TEXT = "your own words · s skips · b goes back · ? tells why"
SKIPPED = "Skipped, {value} is recorded as an assumption, and this request does not ask it again."
LEFT_OPEN = "Skipped, it is recorded as an assumption that is open, and this request does not ask it again."
NO_SCOPE = "without it there is nothing to do: say what should change; Ctrl-C leaves, and nothing is written"
OWN_VALUE = "Take “{value}” as your own value? [Y/n] "
WRITE_IT = "Write this? [Y/n/b] "
WRITE_AT_ONCE = "Write this? [Y/n] "
YES = ("", "y", "yes", "o", "oui", "はい", "ok")
NO = ("n", "no", "non", "いいえ")

FRENCH: Mapping[str, str] = {
    OTHER: "Autre (préciser)",
    "recommended": "recommandé",
    "Question {place} of {many}: ": "Question {place} sur {many} : ",
    KEYS: "Entrée prend ce qui est recommandé · un numéro ou votre texte · s passe · b revient · ? dit pourquoi",
    KEYS_OF_MULTI: "numéros ou textes, avec des virgules · Entrée prend ce qui est recommandé · s passe · b revient",
    KEYS_OF_TEXT: "vos propres mots · s passe · b revient · ? dit pourquoi",
    SKIPPED: "Passée, {value} est noté comme hypothèse, et cette demande ne pose plus la question.",
    LEFT_OPEN: "Passée, elle est notée comme hypothèse ouverte, et cette demande ne la pose plus.",
    NO_SCOPE: "sans cela il n'y a rien à faire : dites ce qui doit changer ; Ctrl-C quitte, et rien n'est écrit",
    OWN_VALUE: "Prendre « {value} » comme valeur à vous ? [O/n] ",
    WRITE_IT: "Écrire cela ? [O/n/b] ",
    WRITE_AT_ONCE: "Écrire cela ? [O/n] ",
    "Asked because: {about}": "Demandé parce que : {about}",
    "this is the first question": "c'est la première question",
    "Understood:": "Compris :",
    "Decided:": "Décidé :",
    "Assumed:": "Supposé :",
    "Still open:": "Encore ouvert :",
    "This will be decided:": "Voici ce qui sera décidé :",
    "left open": "laissé ouvert",
    "not {name}": "pas {name}",
    "you said so": "vous l'avez dit",
    "you answered so": "vous avez répondu ainsi",
    "the repository says so": "le dépôt le dit",
    "decided before": "décidé auparavant",
    "the memory bank says so": "la mémoire le dit",
    "proposed": "proposé",
    "assumed": "supposé",
    "nobody was asked": "personne n'a été interrogé",
    "task": "tâche",
    "architecture": "architecture",
    "archived task": "tâche archivée",
    "prompt": "consigne",
    "Next: hand {path} to your agent, and commit docs/.": "Ensuite : donnez {path} à votre agent, et validez docs/.",
    "may be skipped": "peut être passée",
    "Answer with:": "Répondez avec :",
    "nothing is recommended here: type an answer, or s to skip": "rien n'est recommandé : répondez, ou s pour passer",
    "type one or more, with commas between them": "tapez-en un ou plusieurs, séparés par des virgules",
    "type a number from 1 to {many}": "tapez un numéro de 1 à {many}",
    "did you mean {meant}? Type its number, or the same again to keep yours": (
        "vouliez-vous dire {meant} ? Tapez son numéro, ou la même chose pour garder la vôtre"
    ),
    "that was no UTF-8 text; type it again": "ce n'était pas du texte UTF-8 ; tapez-le encore",
    "answer y or n": "répondez o ou n",
    "{typed} is taken as {value}": "{typed} est compris comme {value}",
    "Nothing is written yet. The session {name} is kept; go on with: {command}": (
        "Rien n'est encore écrit. La session {name} est gardée ; continuez avec : {command}"
    ),
    "Nothing is written yet. The session {name} is kept until {until}; go on with: {command}": (
        "Rien n'est encore écrit. La session {name} est gardée jusqu'à {until} ; continuez avec : {command}"
    ),
    "The session {name} is completed, and its files are written.": (
        "La session {name} est terminée, et ses fichiers sont écrits."
    ),
    "Nothing was written or recorded.": "Rien n'a été écrit ni enregistré.",
}

JAPANESE: Mapping[str, str] = {
    OTHER: "その他（具体的に）",  # noqa: RUF001
    "recommended": "推奨",
    "Question {place} of {many}: ": "質問 {place}/{many}: ",
    KEYS: "Enterで推奨を選択 · 番号または自由な文 · sで飛ばす · bで戻る · ?で理由",
    KEYS_OF_MULTI: "番号または文をコンマ区切りで · Enterで推奨を選択 · sで飛ばす · bで戻る",
    KEYS_OF_TEXT: "自由な文 · sで飛ばす · bで戻る · ?で理由",
    SKIPPED: "飛ばすと {value} が仮定として記録され、この依頼では再び尋ねません。",
    LEFT_OPEN: "飛ばすと未決の仮定として記録され、この依頼では再び尋ねません。",
    NO_SCOPE: "これがないと作業ができません。何を変えるか書いてください。Ctrl-Cで終了でき、何も書かれません",
    OWN_VALUE: "「{value}」をそのまま値として使いますか? [Y/n] ",
    WRITE_IT: "この内容で書き込みますか? [Y/n/b] ",
    WRITE_AT_ONCE: "この内容で書き込みますか? [Y/n] ",
    "Asked because: {about}": "尋ねる理由: {about}",
    "this is the first question": "これが最初の質問です",
    "Understood:": "理解した内容:",
    "Decided:": "決定:",
    "Assumed:": "仮定:",
    "Still open:": "未決:",
    "This will be decided:": "次の内容が決定されます:",
    "left open": "未決",
    "not {name}": "{name} は使わない",
    "you said so": "依頼のとおり",
    "you answered so": "回答のとおり",
    "the repository says so": "リポジトリより",
    "decided before": "以前の決定",
    "the memory bank says so": "メモリーバンクより",
    "proposed": "提案",
    "assumed": "仮定",
    "nobody was asked": "未質問",
    "task": "タスク",
    "architecture": "構成",
    "archived task": "過去のタスク",
    "prompt": "指示書",
    "Next: hand {path} to your agent, and commit docs/.": (
        "次に: {path} をエージェントに渡し、docs/ をコミットしてください。"
    ),
    "may be skipped": "省略できます",
    "Answer with:": "回答するには:",
    "nothing is recommended here: type an answer, or s to skip": "推奨はありません。回答するか、sで飛ばしてください",
    "type one or more, with commas between them": "一つ以上をコンマ区切りで入力してください",
    "type a number from 1 to {many}": "1から{many}の番号を入力してください",
    "did you mean {meant}? Type its number, or the same again to keep yours": (
        "{meant} のことですか? その番号か、同じ文をもう一度入力してください"
    ),
    "that was no UTF-8 text; type it again": "UTF-8の文字ではありません。もう一度入力してください",
    "answer y or n": "yかnで答えてください",
    "{typed} is taken as {value}": "{typed} は {value} として扱います",
    "Nothing is written yet. The session {name} is kept; go on with: {command}": (
        "まだ何も書かれていません。セッション {name} は保存されています。続けるには: {command}"
    ),
    "Nothing is written yet. The session {name} is kept until {until}; go on with: {command}": (
        "まだ何も書かれていません。セッション {name} は {until} まで保存されています。続けるには: {command}"
    ),
    "The session {name} is completed, and its files are written.": (
        "セッション {name} は完了し、ファイルは書かれています。"
    ),
    "Nothing was written or recorded.": "何も書かれず、記録もされていません。",
}

LANGUAGES = {"fr": FRENCH, "ja": JAPANESE}


def told(language: str, text: str, **fields: object) -> str:
    """A text of ours in a language, with its fields filled in."""
    found = LANGUAGES.get(language, {}).get(text, text)
    return found.format(**fields) if fields else found


def language_of(answer: Mapping[str, object]) -> str:
    """The language of a conversation, as its answer or its questions tell it."""
    questions = answer.get("questions")
    asked = questions[0].get("language", "") if isinstance(questions, list) and questions else ""
    return str(answer.get("language") or asked or "en")
