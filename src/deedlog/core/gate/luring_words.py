"""The same in French and Japanese, and what needs no language: labels of messages, tools of others, commands."""

from __future__ import annotations

import re

from deedlog.core.gate.flags import CONCEAL, ORDERS, OVERRIDE, ROLE, SECRETS, SENDING
from deedlog.core.gate.luring import PRIVATE_PLACE, RULES, rule

MAY_BE_MENTIONED = frozenset({OVERRIDE, SENDING, ROLE})  # honest tools quote these: a scanner says what it looks for

CONSIGNES = r"(?:instructions?|consignes?|directives?|contraintes?)"
FRENCH = (
    rule(OVERRIDE, rf"\b(?:ignor|oubli|[ée]cart|contourn|n[ée]glig)(?:e|es|ez|er|ons)\b.{{0,30}}?{CONSIGNES}"),
    rule(
        OVERRIDE,
        rf"\b(?:ne (?:tiens|tenez|tenir) (?:plus |pas )?compte|fai(?:s|tes|re) (?:fi|abstraction)) d(?:e"
        rf"|es|u) .{{0,30}}?{CONSIGNES}",
    ),
    rule(
        OVERRIDE,
        r"\b(?:r[ée]v[èée]l|affich|divulgu)(?:e|es|ez|er)\b.{0,30}?(?:prompt|message|invite"
        r"|instructions?) (?:du )?syst[eè]me",
    ),
    rule(
        CONCEAL,
        r"\b(?:ne|n['\u2019]en) ?(?:le |la |les |lui |leur |rien )?(?:di(?:s|tes|re)|mentionn\w+"
        r"|inform\w+|parl\w+|pr[ée]v\w+"
        r"|r[ée]v[èée]l\w+|signal\w+|avert\w+)\b.{0,40}?\b(?:utilisateur|usager|personne\b)",
    ),
    rule(
        CONCEAL,
        r"\b(?:sans (?:le |en )?(?:dire|informer|pr[ée]venir|avertir|mentionner|signaler)"
        r"|[àa] l['\u2019]insu|en secret"
        r"|secr[eè]tement|discr[eè]tement|silencieusement).{0,60}?"
        r"(?:utilisateur|usager|envoi|envoy|ajout|transm|copi|inclu|lis|lire)",
    ),
    rule(
        SECRETS,
        r"(?:^|\b(?:puis|et|d['\u2019]abord|ensuite|toujours|dois|devez|doit|faut)\b|[,:;])\s*"
        r"(?:lis|lisez|lire|ouvr\w+|r[ée]cup[èée]r\w+|copi\w+|inclu\w+|joi(?:ns|gnez|ndre)|ajout\w+"
        r"|pass(?:e|ez|er)|transme\w+)\b"
        rf".{{0,80}}?(?:{PRIVATE_PLACE}|fichier \.env|cl[ée]s? (?:ssh|api|priv[ée]e)|mots? de passe"
        rf"|variables d['\u2019]environnement)",
    ),
    rule(
        SENDING,
        r"\bexfiltr(?:e|ez|er)\b|\b(?:envo(?:ie|yez|yer|ies)|transme(?:ts|ttez|ttre)|post(?:e|ez|er)"
        r"|t[ée]l[ée]vers\w+)\b.{0,80}?"
        r"(?:copie|chaque|contenu|toutes?|tous|cl[ée]s?).{0,80}?(?:https?://|serveur (?:externe|distant)"
        r"|attaquant|tiers)",
    ),
    rule(
        ORDERS,
        r"\bavant (?:d['\u2019]utiliser|d['\u2019]appeler) (?:un |tout "
        r"|n['\u2019]importe quel )?(?:autres? )?outils?\b.{0,80}?"
        r"\b(?:lis|lire|lisez|envo\w+|pass\w+|transme\w+)",
    ),
    rule(
        ROLE,
        r"\b(?:tu es|vous [eê]tes) (?:maintenant|d[ée]sormais) (?:une? |libre|en mode)"
        r"|\b(?:d[ée]sormais|[àa] partir de maintenant), (?:tu|vous) (?:dois|devez)",
    ),
)
JAPANESE = (
    rule(
        OVERRIDE,
        r"(?:指示|命令|規則|制約|プロンプト|ガイドライン|ポリシー)(?:を|は)?(?:すべて|全て|全部)?(?:無視|忘れ|破棄|上書き|無効)",
    ),
    rule(
        OVERRIDE,
        r"(?:これまで|以前|上記|従来)の(?:指示|命令|内容|ルール|会話).{0,12}?(?:を|は)(?:すべて|全て)?(?:無視|忘れ)",
    ),
    rule(OVERRIDE, r"システム(?:プロンプト|メッセージ|指示)を.{0,10}?(?:表示|出力|開示|教え|明かし)(?:て|せよ|ろ)"),
    rule(
        CONCEAL,
        r"(?:ユーザー?|利用者|使用者|人間|誰)(?:に|へ|には|にも).{0,20}?"
        r"(?:言わ|伝え|知らせ|教え|報告し|通知し|明かさ|話さ)(?:ない|ず|るな|てはいけ|てはなら)",
    ),
    rule(
        CONCEAL,
        r"(?:ユーザー?|利用者|使用者)に(?:気づかれ|気付かれ|知られ)(?:ずに|ないように)"
        r"|(?:密か|ひそか|秘密裏|こっそり)(?:に|と)?.{0,30}?(?:送|読|追加|実行|転送|コピー|含め)",
    ),
    rule(
        SECRETS,
        rf"(?:{PRIVATE_PLACE}|\.env|(?:api|ssh|秘密)\s?(?:キー|鍵)|パスワード|環境変数|認証情報|会話履歴).{{0,30}}?"
        r"(?:を|の(?:内容|中身|値)を).{0,20}?(?:読|渡|送|含め|埋め込|追加し|コピー|添付)"
        r".{0,40}?(?:引数|パラメータ|フィールド|てください|せよ|しろ|なさい)",
    ),
    rule(
        SENDING,
        r"(?:外部サーバ|攻撃者|第三者|https?://).{0,30}?(?:に|へ).{0,20}?(?:送信|転送|アップロード|投稿|送っ)(?:して|て|せよ|しろ)",
    ),
    rule(ORDERS, r"(?:他|ほか|別|あらゆる|すべて|全て)の(?:どの)?ツールを(?:使|呼|実行).{0,10}?前に"),
    rule(ROLE, r"あなたは(?:今|これ|いま)から.{0,30}?(?:です|として|になり)|今後は(?:必ず|常に).{0,30}?(?:従|返|送)"),
)
OTHERS = (  # German, Spanish, Portuguese, Italian, Chinese
    rule(
        OVERRIDE,
        r"\b(?:ignoriere?|ignorieren sie|missachte|vergiss|vergessen sie)\b.{0,30}?\b(?:anweisung|instruktion|vorgabe)"
        r"|\b(?:ignor|olvid|descart)(?:a|e|ar|es|en)\b.{0,30}?\b(?:instrucciones|indicaciones|directrices)"
        r"|\b(?:ignor|esque[cç]|desconsider)(?:e|a|er|ar|em)\b.{0,30}?\b(?:instruç(?:ão|ões)|instrucoes|diretrizes)"
        r"|\b(?:ignor|dimentic)(?:a|are|ate|hi|i)\b.{0,30}?\bistruzioni"
        r"|(?:忽略|无视|忘记|無視|忽視).{0,6}?(?:之前|以前|先前|上述|以上|前面).{0,6}?(?:指令|指示|提示|规则|規則|命令)",
    ),
    rule(
        CONCEAL,
        r"\b(?:sag|sage|sagen sie|verrate?)\b.{0,20}?\b(?:nutzer|benutzer|anwender)\w*\b.{0,20}?\b(?:nicht|nichts)\b"
        r"|\bno (?:le |se lo )?(?:digas?|informes?|menciones|avises)\b.{0,20}?\busuario"
        r"|\bnão (?:diga|informe|mencione|avise)\b.{0,20}?\busuário|\bnon (?:dire|informare|dirlo)\b.{0,20}?\butente"
        r"|(?:不要|别|請勿|请勿)(?:告诉|告知|通知|告訴)(?:用户|使用者|用戶)",
    ),
    rule(
        SECRETS,
        r"\b(?:sende|schicke?|übermittle|lies|kopiere|env[ií]a|env[ií]e|manda|lee|copia|leia|invia|leggi)\b.{0,60}?"
        rf"(?:{PRIVATE_PLACE}|ssh-?schlüssel|private[nrs]? schlüssel|(?:clave|llave|chave|chiav[ei])s? (?:ssh|priva))",
    ),
)
SAYINGS = (*RULES, *FRENCH, *JAPANESE, *OTHERS)

LABELS = re.compile(
    r"</?\s*(?:important|secret|hidden|system|system[-_ ](?:reminder|prompt|message|note)|sys|admin|assistant)\s*/?>"
    r"|<\|(?:im_start|im_end|system|endoftext|start_header_id)\b|\[/?inst\]|<<sys>>|\{\{\s*system\b"
    r"|\[(?:system|hidden|secret|assistant|ai|admin)(?:[ _-](?:instructions?|prompt|message|note"
    r"|directive|override))?\s*[:\]]"
    r"|(?:^|[\s#*\[(])(?:new|updated|hidden|secret|real|override) (?:system |admin |developer )?"
    r"(?:instructions?|directives?|message|prompt|orders?)\s*(?:[:#*\[]|\]|$)"
    r"|(?:^|[.!?\n]\s*)(?:\[|\*\*|#+ ?)?(?:system|developer|admin)(?: (?:note|message|override"
    r"|instructions?|notice))?(?:\]|\*\*)?"
    r"\s*:(?=.*\b(?:you|must|first|call|ignore|mandatory|always|grant)\b)"
    r"|\bnote to (?:the )?(?:assistant|ai|model|llm)s?\s*:"
    r"|(?-i:\bSYSTEM (?:OVERRIDE|INSTRUCTION|DIRECTIVE|NOTICE|COMMAND|MESSAGE|PROMPT)S?\b[A-Z ]{0,24}[:\]])",
    re.IGNORECASE | re.MULTILINE,
)

TOOL = r"[`'\"]?(?P<{}>[a-z]\w*_\w+)[`'\"]?"
SHADOWING = re.compile(  # parameters have such names, too: so it must be called, or be called a tool
    r"\b(?:modif\w+|alter\w+|chang\w+|overrid\w+) (?:the )?(?:behaviou?r|output|results?) of (?:the )?"
    + TOOL.format("behaviour")
    + r"|\b(?:modif\w+|alter\w+|overrid\w+) (?:the )?"
    + TOOL.format("changed")
    + r" tool\b|\b(?:supersed|intercept|hijack)\w+ (?:\w+ ){0,3}"
    + TOOL.format("taken")
    + r"|\b(?:when|whenever|every time|each time) (?:the |a |\w+ )?"
    + TOOL.format("called")
    + r" (?:tool )?(?:\w+ ){0,3}(?:is|gets|are|was) (?:\w+ )?(?:called|invoked|executed)\b"
    + r"|\b(?:when|whenever) (?:the |\w+ )?"
    + TOOL.format("used")
    + r" (?:tool )?is used, (?:all|every|any|the)\b|\b(?:the |a )?"
    + TOOL.format("told")
    + r" tool\b.{0,80}?\b(?:always|instead|must|should) (?:\w+ ){0,3}"
    + r"(?:replac|re-?rout|redirect|ignor|chang|substitut|b?cc|forward|send|add|includ)\w*"
    + r"|\balways (?:call|invoke|run) (?:the )?"
    + TOOL.format("first")
    + r" (?:tool )?(?:first|beforehand|instead)\b|\bmcp__[a-z0-9-]+__(?P<ours>\w+)",
    re.IGNORECASE,
)

ABOUT_TEXTS = re.compile(
    r"\b(?:detect|scan|analy[sz]|check|classif|explain|document|describ|illustrat|demonstrat|prevent"
    r"|block|guard|protect"
    r"|saniti[sz]|find|search|flag|filter|report|audit|investigat|test|simulat|monitor|identif|look)\w*\b.{0,80}?"
    r"(?:prompt|phrase|string|text|injection|attempt|pattern|attack|instruction|input|message"
    r"|exfiltration|leak|polic|['\"\u2018\u201c`])"
    r"|\b(?:such as|e\.g\.|for example|examples? (?:of|like)|rather than|not an? (?:instruction|attack|command))"
    r"|\b(?:sample|mock|expected|example|training|canned|fixture|dummy|test)\s+(?:\w+ )?"
    r"(?:response|output|text|reply|data|prompt|string|input|value)s?\b",
)
DOING_HARM = re.compile(
    r"\b(?:curl|wget)\s+\S*(?:https?:|\d+\.\d+\.\d+)|\|\s*(?:ba|z|da)?sh\b|/bin/(?:ba|z)?sh\b|/dev/tcp/"
    r"|\bchmod\s+[+0-7]"
    rf"|\brm\s+-[rf]{{1,2}}\b|\bnc\s+-e|\bpowershell\b|\bInvoke-\w+|\beval\s*\(|\bexec\s*\(|\bos\.system"
    rf"|<script\b|{PRIVATE_PLACE}",
    re.IGNORECASE,
)
