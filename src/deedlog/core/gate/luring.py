"""What descriptions say that are meant to lead a model astray, in English, French and Japanese.

Each rule is asked of one sentence, in small letters. A rule whose name is in `MAY_BE_MENTIONED` is about words that
honest tools quote: a scanner says what it looks for.
"""

from __future__ import annotations

import re

OVERRIDE, CONCEAL, SECRETS, SENDING, ROLE, ORDERS, LATER = (
    *("override", "concealment", "secrets", "sending", "role", "orders", "later"),
)
MAY_BE_MENTIONED = frozenset({OVERRIDE, SENDING, ROLE})

# English
TAKE = (
    r"(?:read|open|load|cat|fetch|collect|gather|extract|access|retrieve|get|copy|dump|grab|obtain|locate|steal|scan)"
)
GIVE = (
    r"(?:send|forward|post|upload|transmit|exfiltrate|leak|pass|include|append|attach|embed|insert|put|add|encode|return"
    r"|output|paste|copy|share|submit|e-?mail|relay|report|provide|write|place|deliver|smuggle|ship)"
)
GIVEN = rf"(?:{GIVE}(?:s|es|ed|ing)?|sent|putting|includ(?:es|ing)|shar(?:es|ing)|leaking|provid(?:es|ing))"
PRIVATE_PLACE = (
    r"(?:\.ssh\b|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.aws/|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials|\.kube/config"
    r"|/etc/(?:passwd|shadow|sudoers)|\bmcp\.json|claude_desktop_config|\.cursor/|\.(?:bash|zsh)_history|wallet\.dat"
    r"|\.docker/config|\.gnupg|login data\b|\bssh keys?\b|keychain|seed phrases?)"
)
PRIVATE_THING = (
    r"(?:\.env\b|api[ _-]?keys?|(?:access|auth\w*|session|bearer) tokens?|tokens\b|credentials?|passwords?|private keys?"
    r"|secrets\b|environment variables?|env(?:ironment)? vars?|cookies|system (?:prompt|message|instructions?)"
    r"|(?:conversation|chat|message|browser|browsing|shell) (?:history|log)|(?:whole|entire|full|all) conversations?"
    r"|(?:previous|prior) messages|clipboard|(?:user|customer|victim)['\u2019]?s? (?:private|personal|sensitive|confidential) \w+)"
)
PRIVATE = rf"(?:{PRIVATE_PLACE}|{PRIVATE_THING})"
WHOSE = r"(?:user['\u2019]?s?|your|all|any|every|entire|full|whole|contents?|you (?:can|have)|found|their|its value)"
OUTSIDE = (
    r"(?:https?://|\b(?:external|attacker\w*|third[- ]party|unknown|malicious|rogue|our own|our (?:server|external|analytics)"
    r"|remote (?:host|server|endpoint|site|address|machine|collector)|collector|exfil\w*|evil\w*)\b)"
)
FIELD = (
    r"(?:arguments?|parameters?|params?|fields?|side-?notes?|headers?|quer(?:y|ies)|notes?|metadata|inputs?|values?)\b"
)
BID = (
    r"(?:^|\b(?:you|must|should|shall|will|first|then|also|please|always|to|and|before|need|requires?|now)\b|[,:;(>\]])"
)
MANY = (
    r"(?:all|any|every|the|your|my|these|those|of|its|their|previous|prior|preceding|earlier|above|former|past|existing"
)
MANY += r"|original|initial|current|other|user['\u2019]?s?|system|safety|security|developer|proxy['\u2019]?s?|client['\u2019]?s?|server['\u2019]?s?|actual|default|built-in)"
RULES_OF = (
    r"(?:instructions?|directions?|directives?|rules?|guidelines?|constraints?|prompts?|polic(?:y|ies)|guardrails?"
)
RULES_OF += r"|restrictions?|safeguards?|limitations?|safety (?:checks?|measures?)|programming|training|commands?|messages?|requests?)"

ENGLISH = (
    (OVERRIDE, rf"\b(?:ignor|disregard|forget|overrid|bypass|discard|circumvent|abandon|neglect|set aside)\w*\s+(?:{MANY}\s+){{1,6}}{RULES_OF}"),
    (OVERRIDE, r"\b(?:ignore|disregard|forget) (?:all |everything |anything |whatever )?(?:of )?(?:the |that |you were told |came )?(?:above|previous(?:ly)?|before|prior|so far)\b(?! \w+ (?:value|error|result|line|setting|version|commit|run|page)s?)"),
    (OVERRIDE, r"\b(?:obey|follow|execute|comply with|treat|trust) (?:\w+ ){0,4}(?:instructions?|commands?|directives?|requests?) (?:\w+ ){0,3}(?:embedded|found|contained|inside|in the (?:page|content|text|document|output|result)|below)"),
    (OVERRIDE, r"\b(?:do not|don['\u2019]t|never|without) (?:appl(?:y|ying)|follow(?:ing)?|us(?:e|ing)|respect(?:ing)?|ask(?:ing)? for) (?:\w+ ){0,2}(?:safety|security|user) (?:checks?|rules?|guidelines?|polic\w+|confirmation|consent|permission)"),
    (OVERRIDE, r"\b(?:reveal|output|print|repeat|disclose|leak|dump|recite|expose) (?:\w+[ ,]+){0,4}(?:system (?:prompt|message|instructions?)|hidden (?:\w+ )?(?:instructions?|prompts?)|conversation history|chat history)"),
    (CONCEAL, r"\b(?:do not|don['\u2019]?t|never|must not|should not|avoid|without|refrain from) (?:ever )?(?:tell|mention|inform|notif|reveal|disclos|alert|warn|show|say|let|explain|report|discuss|ask|display|bother|worry)\w* (?:\w+ ){0,6}?(?:the |this |it |that |these |any |to |anything )*(?:(?:end[- ]?)?users?|humans?|them|him|her|anyone|anybody|operator|person|these instructions|this (?:step|instruction|directive|action|note|part))\b(?! (?:to (?:enter|provide|choose|select|confirm|specify|install)|for (?:the|their|a|an|input|more)|about (?:the )?(?:format|internal|technical|error)))"),
    (CONCEAL, r"\b(?:silently|secretly|covertly|quietly|discreetly|surreptitiously|invisibly|stealthily) (?:also )?(?:append|send|add|includ|forward|upload|cop|read|collect|pass|post|exfil|attach|record|transmit|log the user|call|run|execut|install|insert|inject|redirect|modif|bcc|fetch|gather|leak|share)"),
    (CONCEAL, r"\bwithout (?:the )?(?:user['\u2019]?s?|their|his|her|anyone['\u2019]?s?) (?:\w+ )?(?:knowledge|consent|noticing|awareness|knowing|approval|permission)"),
    (CONCEAL, r"\bkeep (?:this|it|these \w+) (?:a )?(?:secret|hidden|confidential|between us|from (?:the )?users?)|\bhid(?:e|ing|den) (?:this|it|the \w+) from (?:the )?users?|\b(?:the )?user (?:must|should|need) (?:not|never) (?:know|see|notice|be (?:told|aware|informed))|\bsecret (?:instruction|directive|step)s?\b"),
    (SECRETS, rf"{BID}\s*(?:\w+\s+){{0,2}}{TAKE}\b[^.]{{0,80}}?{PRIVATE_PLACE}"),
    (SECRETS, rf"\b{TAKE}(?:s|es|ing)?\b[^.]{{0,60}}?{PRIVATE}[^.]{{0,80}}?\b(?:into|in|as|to|through|via|with)\b[^.]{{0,40}}?{FIELD}"),
    (SECRETS, rf"\b(?:contents?|values?|copy) of [^.]{{0,30}}?{PRIVATE_PLACE}"),
    (SECRETS, rf"\b{GIVEN}\b[^.]{{0,60}}?\b{WHOSE}\b[^.]{{0,40}}?{PRIVATE}[^.]{{0,80}}?\b(?:into|in|as|to|inside|within|through|via|with|using)\b[^.]{{0,40}}?(?:{FIELD}|\bresponse\b|\boutput\b|\bbody\b|\bresult\b|\bmessage\b|\burl\b)"),
    (SENDING, r"\bexfiltrat(?:e|es|ing|ion logic)\b|\bdata-exfiltration logic\b"),
    (SENDING, rf"\b{GIVEN}\b[^.]{{0,80}}?{PRIVATE}.{{0,80}}?\bto\b.{{0,40}}?{OUTSIDE}"),
    (SENDING, rf"{PRIVATE_PLACE}.{{0,80}}?\b{GIVEN}\b.{{0,40}}?{OUTSIDE}"),
    (SENDING, rf"\b{GIVEN} (?:a copy|copies|(?:every|all|each|any)(?: \w+){{0,3}} (?:messages?|data|conversations?|requests?|quer(?:y|ies)|inputs?|emails?|prompts?|files?))\b.{{0,60}}?\bto\b.{{0,40}}?{OUTSIDE}"),
    (SENDING, rf"\b(?:also|then|instead|additionally|secretly)\b[^.]{{0,20}}?\b{GIVEN}\b[^.]{{0,60}}?\bto\b[^.]{{0,30}}?{OUTSIDE}"),
    (SENDING, r"\bbcc(?:['\u2019]?d)?\b.{0,60}?(?:every|all|each|attacker)|(?:every|all|each|attacker).{0,60}?\bbcc['\u2019]?d\b"),
    (ROLE, r"\byou are (?:now|no longer) (?!able|logged|connected|in the|on the|ready|authenticated|using|signed)|\b(?:developer|god|dan|jailbreak|unrestricted|admin(?:istrator)?) mode\b(?=.*\b(?:comply|you|unrestricted|ignore|must)\b)|\bjailbroken\b|\bpretend (?:to be|you are|that you)\b|\bnew (?:system )?(?:instructions?|directives?) (?:from|for|to) (?:the )?(?:assistant|model|ai|system|developer)"),
    (ORDERS, r"\b(?:before|prior to) (?:\w+ )?(?:using|calling|invoking|running|executing|you use|you call) (?:any|all|every|each|other|another)(?: of the)?(?: other)? tools?\b(?! (?:of|from|in|on) (?:this|the|our))"),
    (ORDERS, r"(?:\bfrom now on\b|\bon (?:each|every) (?:call|request|message|turn)s?\b|\bfor (?:every|each) (?:message|conversation|request) (?:the user|from the user)).{0,20}?(?:\b(?:forward|send|also|always|append|include|insert|reply|respond|upload|call)\b)"),
    (ORDERS, r"\bwhen(?:ever)? the user asks? (?:about|for) (?:\w+ ){0,4}(?:files?|passwords?|secrets?|data)\b.{0,20}?\binstead\b"),
    (ORDERS, r"\b(?:instead )?execute (?:the |any |arbitrary )?(?:command|code|script)s? .{0,60}?(?:no|without) (?:\w+ )?confirmation"),
    (ORDERS, rf"\b(?:note|message|instructions?|directive|reminder|important)s? (?:to|for) (?:the |any |all )?(?:ai|llm|assistant|model|agent|claude|gpt|language model|chatbot)s?\b\s*(?:assistants?|agents?|models?)?\s*[:,\u2014-].{{0,160}}?(?:{PRIVATE}|\bignore\b|\bnever\b|\bsilently\b|\bmust\b|\binstead\b)"),
    (ORDERS, rf"\bthe \w+_\w+ (?:tool )?(?:\w+ ){{0,3}}(?:must|should|needs?|has|have) (?:to )?(?:also |first )?{GIVE} .{{0,60}}?(?:{OUTSIDE}|@)"),
    (LATER, r"\b(?:once|after|when) (?:\w+ ){0,4}(?:approv\w+|accept\w+|trusted|review\w*|installed)\b(?!.*(?:legitimate|re-approval)).{0,80}?\b(?:arbitrary|shell commands?|silently|upload|exfil\w*|swap\w*|payload|directive|clipboard|recorded)\b"),
    (LATER, r"\b(?:swap|chang|replac)\w* (?:\w+ ){0,3}(?:post-|after )(?:the )?(?:approval|review)|\bbehaves? (?:benignly|normally|well) (?:during|until|while) (?:\w+ ){0,2}(?:review|approv|audit|test)|\bonly after (?:\w+ ){0,4}(?:approval hash|approved and|been approved)"),
    (LATER, r"\b(?:once|after) .{0,30}?approv\w+.{0,80}?\b(?:later version|next version|new version|will begin|begins?|starts? to)\b(?!.*re-approval)"),
)  # fmt: skip

FRENCH_RULES = r"(?:instructions?|consignes?|directives?|r[eè]gles?|contraintes?|messages?)"
FRENCH = (
    (OVERRIDE, rf"\b(?:ignor|oubli|[ée]cart|contourn|n[ée]glig)(?:e|es|ez|er|ons)\b.{{0,30}}?{FRENCH_RULES}"),
    (OVERRIDE, rf"\b(?:ne (?:tiens|tenez|tenir) (?:plus |pas )?compte|fai(?:s|tes|re) (?:fi|abstraction)) (?:de |des |du ).{{0,30}}?{FRENCH_RULES}"),
    (OVERRIDE, r"\b(?:r[ée]v[èée]l|affich|divulgu)(?:e|es|ez|er)\b.{0,30}?(?:prompt|message|invite|instructions?) (?:du )?syst[eè]me"),
    (CONCEAL, r"\b(?:ne|n['\u2019]en) ?(?:le |la |les |lui |leur |rien )?(?:di(?:s|tes|re)|mentionn\w+|inform\w+|parl\w+|pr[ée]v\w+|r[ée]v[èée]l\w+|montr\w+|signal\w+|avert\w+)\b.{0,40}?\b(?:pas|jamais|rien|aucun)?\b.{0,20}?(?:utilisateur|usager|personne\b)"),
    (CONCEAL, r"\b(?:sans (?:le |en )?(?:dire|informer|pr[ée]venir|avertir|mentionner|signaler)|[àa] l['\u2019]insu|en secret|secr[eè]tement|discr[eè]tement|silencieusement).{0,60}?(?:utilisateur|usager|envoi|envoy|ajout|transm|copi|inclu|lis|lire)"),
    (SECRETS, rf"\b(?:lis|lisez|lire|ouvr\w+|r[ée]cup[èée]r\w+|copi\w+|inclu\w+|joi(?:ns|gnez|ndre)|ajout\w+|pass(?:e|ez|er)|transme\w+)\b.{{0,80}}?(?:{PRIVATE_PLACE}|fichier \.env|cl[ée]s? (?:ssh|api|priv[ée]e)|mots? de passe|variables d['\u2019]environnement|identifiants de l['\u2019]utilisateur)"),
    (SENDING, r"\b(?:exfiltr(?:e|ez|er)|(?:envo(?:ie|yez|yer|ies)|transme(?:ts|ttez|ttre)|post(?:e|ez|er)|t[ée]l[ée]vers\w+)\b.{0,80}?(?:https?://|serveur (?:externe|distant)|attaquant|tiers))"),
    (ORDERS, r"\bavant (?:d['\u2019]utiliser|d['\u2019]appeler|toute utilisation d['\u2019]) ?(?:un |tout |n['\u2019]importe quel )?(?:autre )?(?:autres )?outils?\b.{0,80}?(?:lis|lire|appel|envo|ex[ée]cut|toujours|doi)"),
    (ROLE, r"\b(?:tu es|vous [eê]tes) (?:maintenant|d[ée]sormais)\b|\b(?:d[ée]sormais|[àa] partir de maintenant), (?:tu|vous) (?:dois|devez)"),
)  # fmt: skip

JAPANESE = (
    (OVERRIDE, r"(?:指示|命令|ルール|規則|制約|プロンプト|ガイドライン|ポリシー)(?:を|は)?(?:すべて|全て|全部)?(?:無視|忘れ|破棄|上書き|無効)"),
    (OVERRIDE, r"(?:これまで|以前|上記|前|従来)の.{0,12}?(?:を|は)(?:すべて|全て)?(?:無視|忘れ)"),
    (OVERRIDE, r"システム(?:プロンプト|メッセージ|指示)を.{0,10}?(?:表示|出力|開示|教え|明かし)"),
    (CONCEAL, r"(?:ユーザー?|利用者|使用者|人間|誰)(?:に|へ|には|にも).{0,20}?(?:言わ|伝え|知らせ|教え|報告し|通知し|明かさ|話さ|見せ)(?:ない|ず|るな|てはいけ|てはなら)"),
    (CONCEAL, r"(?:ユーザー?|利用者|使用者)(?:に|の)(?:気づかれ|気付かれ|知られ|許可|同意|確認)(?:ずに|ないように|なく|なしに|なしで|を得ずに|を求めずに)|(?:密か|ひそか|秘密裏|こっそり)(?:に|と)?.{0,30}?(?:送|読|追加|実行|転送|コピー|含め)"),
    (SECRETS, rf"(?:{PRIVATE_PLACE}|\.env|(?:api|ssh|秘密)\s?(?:キー|鍵)|パスワード|環境変数|認証情報|会話履歴).{{0,30}}?(?:を|の(?:内容|中身|値)を).{{0,20}}?(?:読|渡|送|含め|埋め込|追加し|コピー|添付|取得し).{{0,40}}?(?:引数|パラメータ|フィールド|送|渡|サーバ|て(?:ください|から)|こと|せよ|しろ)"),
    (SENDING, r"(?:外部|攻撃者|リモート|第三者|https?://).{0,30}?(?:に|へ).{0,20}?(?:送信|送っ|送る|転送|アップロード|投稿)(?:して|し|せよ|しろ|する|てください).{0,20}"),
    (ORDERS, r"(?:他|ほか|別|あらゆる|すべて|全て)の(?:どの)?ツールを(?:使|呼|実行).{0,10}?前に"),
    (ROLE, r"あなたは(?:今|これ|いま)から|今後は(?:必ず|常に).{0,30}?(?:従|返|送)"),
)  # fmt: skip

SAYINGS = tuple((code, re.compile(pattern)) for code, pattern in (*ENGLISH, *FRENCH, *JAPANESE))

LABELS = re.compile(
    r"</?\s*(?:important|secret|hidden|system|system[-_ ](?:reminder|prompt|message|note)|sys|admin|assistant|instructions?_to_(?:ai|model|assistant))\s*/?>"
    r"|<\|(?:im_start|im_end|system|endoftext|start_header_id)\b|\[/?inst\]|<<sys>>|\{\{\s*system\b"
    r"|\[(?:system|hidden|secret|assistant|ai|admin|internal)(?:[ _-](?:instructions?|prompt|message|note|directive|override))?\s*[:\]]"
    r"|(?:^|[\s#*\[(])(?:(?:new|updated|hidden|secret|real|override) )(?:system |admin |developer )?(?:instructions?|directives?|message|prompt|orders?)\s*(?:[:#*]|\]|$)"
    r"|(?:^|[.!?\n]\s*)(?:\[|\*\*|#+ ?)?(?:system|developer|admin)(?: (?:note|message|override|prompt|instructions?|notice))?(?:\]|\*\*)?\s*:(?=.*\b(?:you|must|first|call|ignore|mandatory|always)\b)"
    r"|\bnote to (?:the )?(?:assistant|ai|model|llm)s?\s*:",
    re.IGNORECASE | re.MULTILINE,
)

SHADOWING = re.compile(
    r"\b(?:modif\w+|chang\w+|alter\w+|overrid\w+|supersed\w+|intercept\w+|hijack\w+|hook\w*) (?:\w+ ){0,5}[`'\"]?(?P<one>[a-z]\w*_\w+)"
    r"|\b(?:when|whenever|before|after|every time|each time|if) (?:the |a )?[`'\"]?(?P<two>[a-z]\w*_\w+)[`'\"]? (?:tool )?(?:\w+ ){0,3}(?:is|gets|are|was) (?:\w+ )?(?:called|invoked|used|executed|run)\b"
    r"|\b(?:the |a )?[`'\"]?(?P<three>[a-z]\w*_\w+)[`'\"]? tool\b.{0,80}?\b(?:always|instead|must|should) (?:\w+ ){0,3}(?:replac|re-?rout|redirect|us|ignor|call|chang|substitut)\w*"
    r"|\b(?:instead of|rather than|do not use|don['\u2019]t use|never use|stop using|avoid using) (?:the )?[`'\"]?(?P<four>[a-z]\w*_\w+)[`'\"]? tool (?:\w+ ){0,4}(?:always|which|because)",
    re.IGNORECASE,
)  # of a tool that is not this server's own; whether it is, is asked of `one` to `four`

ABOUT_TEXTS = re.compile(
    r"\b(?:detect|scan|analy[sz]|check|classif|explain|document|describ|illustrat|demonstrat|prevent|block|guard|protect|sanitiz|sanitis"
    r"|flag|filter|report|audit|investigat|test|simulat|monitor|identif|look)\w*\b.{0,80}?"
    r"(?:prompt|phrase|string|text|injection|attempt|pattern|attack|instruction|input|message|exfiltration|leak|polic|['\"\u2018\u201c`])"
    r"|\b(?:such as|e\.g\.|for example|examples? (?:of|like)|rather than|not an? (?:instruction|attack|command))"
    r"|\b(?:sample|mock|expected|example|training|canned|fixture|dummy|test)\s+(?:\w+ )?(?:response|output|text|reply|data|prompt|string|input|value)s?\b",
    re.IGNORECASE,
)
DOING_HARM = re.compile(
    r"\b(?:curl|wget)\s+\S*(?:https?:|\d+\.\d+\.\d+)|\|\s*(?:ba|z|da)?sh\b|/bin/(?:ba|z)?sh\b|/dev/tcp/|\bchmod\s+[+0-7]|\brm\s+-[rf]{1,2}\b"
    r"|\bnc\s+-e|\bpowershell\b|\bInvoke-\w+|\beval\s*\(|\bexec\s*\(|\bos\.system|\bsubprocess\b|\bchild_process\b|<script\b",
    re.IGNORECASE,
)
