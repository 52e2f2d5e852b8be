"""What descriptions say that are meant to lead a model astray, in English.

Each rule is asked of one sentence, in small letters. Honest tools use most of these words, too: they delete all
previous messages, read files named .env, want to be called before all others. So a rule needs what honest tools do
not say: whose instructions are set aside, from whom something is kept, where the private thing shall go.
"""

from __future__ import annotations

import re

from deedlog.core.gate.flags import CONCEAL, LATER, ORDERS, OVERRIDE, ROLE, SECRETS, SENDING

OF = "['\u2019]?s?"
TAKE = (
    "(?:read|open|load|cat|fetch|collect|gather|extract|retrieve|get|copy|dump|grab|obtain|locate|steal|scan|view|inspect"
    "|access (?=the|your|~|/|`))"
)
HAND = "(?:include|pass|send|attach|append|put|copy|insert|embed|forward|upload|post|provide|paste|return|share|supply)"
GIVE = (
    "(?:send|forward|post|upload|transmit|exfiltrate|leak|pass|include|append|attach|embed|insert|put|add"
    "|encode|return"
    "|output|paste|copy|share|submit|e-?mail|relay|report|provide|write|place|deliver|smuggle|ship|supply)"
)
GIVEN = f"(?:{GIVE}(?:s|es|ed|ing)?|sent|putting|includ(?:es|ing)|shar(?:es|ing)|provid(?:es|ing))"
PRIVATE_PLACE = (
    r"(?:\.ssh\b|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.aws/|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials"
    r"|\.kube/config"
    r"|/etc/(?:passwd|shadow|sudoers)|\bmcp\.json|claude_desktop_config|\.cursor/|\.(?:bash|zsh)_history|wallet\.dat"
    r"|\.docker/config|\.gnupg)"
)
CONVERSATION = (
    "(?:system (?:prompt|message|instructions?)|(?:conversation|chat|dialogu?e|browser|browsing"
    "|shell) (?:history|context|log)"
    "|(?:whole|entire|full|complete) (?:conversation|chat|context)|previous messages|prior messages"
    "|(?:chat|conversation) so far)"
)
PRIVATE_THING = (
    r"(?:\.env\b|api[ _-]?keys?|(?:access|auth\w*|session|bearer) tokens?|tokens\b|credentials?"
    r"|passwords?|private keys?"
    rf"|secrets\b|environment variables?|env(?:ironment)? vars?|cookies|{CONVERSATION}|clipboard"
    rf"|ssh keys?|seed phrases?"
    rf"|(?:user|customer|victim){OF} (?:private|personal|sensitive|confidential) \w+)"
)
PRIVATE = f"(?:{PRIVATE_PLACE}|{PRIVATE_THING})"
WHOSE = rf"(?:user{OF}|your|all|any|every|entire|full|whole|contents?|you (?:can|have)|found|their|its value)"
OUTSIDE = (
    r"(?:https?://|\b(?:external|attacker\w*|third[- ]party|unknown|malicious|rogue|our own"
    r"|our (?:server|external|analytics|collector)|remote (?:host|server|endpoint|site|address|machine|collector)"
    r"|collector|requestbin|exfil\w*|evil\w*)\b)"
)
FIELD = r"(?:arguments?|parameters?|params?|fields?|side-?notes?|quer(?:y|ies)|notes?|metadata|inputs?|values?)\b"
BID = (
    r"(?:^|\b(?:you|must|should|shall|will|first|then|also|please|always|to|and|before|need|requires?"
    r"|now)\b|[,:;(>\]])"
)
STRONG_RULES = (
    "(?:instructions?|directions?|directives?|guidelines?|constraints?|prompts?|polic(?:y|ies)"
    "|guardrails?|safeguards?"
    "|safety (?:checks?|measures?|rules?)|programming)"
)
WEAK_RULES = "(?:rules?|restrictions?|limitations?|training|commands?|messages?|requests?|context|content)"
WHICH = (
    "(?:all|any|every|the|your|my|these|those|of|its|their|previous|prior|preceding|earlier|above|former"
    "|past|existing"
    f"|original|initial|current|other|user{OF}|system|safety|security|developer|proxy{OF}|client{OF}"
    f"|server{OF}|actual)"
)
WHICH_BEFORE = (
    "(?:(?:all|any|every|of|the|your) )*(?:previous|prior|preceding|earlier|above|your"
    f"|user{OF}|user{OF} actual|system)"
)
SET_ASIDE = r"\b(?:ignor|disregard|forget|overrid|bypass|discard|circumvent|abandon|neglect|set aside)\w*"
READER = "(?:(?:end[- ]?)?users?|humans?|them|him|her|anyone|anybody|operator|person)"
NOT = "(?:do not|don['\u2019]?t|never|must not|should not|avoid|refrain from)"
STEALTHILY = "(?:silently|secretly|covertly|quietly|discreetly|surreptitiously|invisibly|stealthily)"
UNSEEN_DEEDS = (
    "(?:append|send|add|includ|forward|upload|cop|read|collect|pass|post|exfil|attach|record|transmit|call|run|execut"
    "|install|insert|inject|redirect|modif|bcc|fetch|gather|leak|share|use)"
)


def rule(code: str, pattern: str) -> tuple[str, re.Pattern[str]]:
    return code, re.compile(pattern)


RULES = (
    # setting instructions aside
    rule(OVERRIDE, rf"{SET_ASIDE}\s+(?:{WHICH}\s+){{1,6}}(?:tool )?{STRONG_RULES}"),
    rule(OVERRIDE, rf"\b(?:ignore|disregard|forget) {WHICH_BEFORE} {WEAK_RULES}"),
    rule(
        OVERRIDE,
        r"\b(?:ignore|disregard|forget) (?:all |everything |anything |whatever )?(?:of )?(?:the |that "
        r"|you were told |came )?"
        r"(?:above|previous|prior|before|so far)(?=$|[,.;:!]| and\b| then\b| but\b)",
    ),
    rule(
        OVERRIDE,
        r"\b(?:obey|follow|execute|comply with|treat|trust) (?:\w+ ){0,4}(?:instructions?|commands?"
        r"|directives?|requests?)"
        r" (?:\w+ ){0,3}(?:embedded|found|contained|inside|in the (?:page|content|text|document|output"
        r"|result)|below)",
    ),
    rule(
        OVERRIDE,
        rf"\b(?:{NOT}|without) (?:apply(?:ing)?|follow(?:ing)?|respect(?:ing)?|enforc(?:e|ing)) (?:\w+ ){{0,2}}"
        r"(?:safety|security) (?:checks?|rules?|guidelines?|polic\w+)"
        r"|(?:safety|security) (?:guidelines|rules|checks|polic(?:y|ies)) (?:\w+ )?(?:no longer|do not"
        r"|don't|never) apply",
    ),
    rule(
        OVERRIDE,
        r"\b(?:reveal|output|print|repeat|disclose|leak|dump|recite|expose) (?:\w+[ ,]+){0,4}"
        r"(?:system (?:prompt|message|instructions?)|hidden (?:\w+ )?(?:instructions?|prompts?)"
        r"|conversation history)",
    ),
    rule(
        OVERRIDE,
        r"\b(?:disable|turn off|switch off|deactivate) (?:all |any |your |every )(?:\w+ )?"
        r"(?:guardrails?|safeguards?|safety|security (?:checks|controls|measures)|content filter\w*|restrictions)"
        rf"|\bregardless of (?:the |any )?(?:user{OF} |their |safety )"
        r"(?:permissions?|consent|wishes|instructions?|rules)",
    ),
    rule(
        OVERRIDE,
        r"\b(?:overrid\w+|supersed\w+|outrank\w*|takes? (?:precedence|priority) over) (?:\w+ ){0,3}"
        r"(?:what(?:ever)?|anything|everything|all) (?:that )?(?:the )?users? (?:\w+ )?"
        r"(?:says?|said|asks?|wants?|tells?)",
    ),
    rule(
        OVERRIDE,
        r"\b(?:previous|prior|preceding|earlier|above|former|other) (?:guidance|instructions?|directives?|guidelines?)"
        r" (?:is|are) (?:now |hereby )?(?:void|invalid|null|cancell?ed|revoked|obsolete|superseded|suspended)"
        r"|\b(?:follow|obey|listen to|trust) only (?:this tool|these instructions|the instructions of this)",
    ),
    rule(
        OVERRIDE,
        r"\b(?:do|execute|follow|obey|carry out) (?:what(?:ever)?|everything|anything) (?:that )?"
        r"(?:the |this |that |a )?(?:document|page|file|text|content|result|output|web ?site|e-?mail|message)s?"
        r" (?:\w+ )?(?:asks?|says?|tells?|demands?|instructs?|wants?|commands?)\b",
    ),
    # keeping something from the user
    rule(CONCEAL, rf"\b{NOT} (?:ever )?let (?:the |any )?{READER} (?:know|see|notice|find out|learn)\b"),
    rule(
        CONCEAL,
        rf"\b{NOT} (?:ever )?(?:tell|inform|notify|alert|warn|telling|informing)\w* (?:the |any )?{READER}"
        r"(?=$|[.,;:!)<\]]| (?:about|that|this|it|what you|you|or|and|but|when)\b| of (?:this|these|what))",
    ),
    rule(
        CONCEAL,
        rf"^(?:(?!\b(?:never|not|don['\u2019]t)\b).)*\bwithout (?:telling|informing|notifying|alerting"
        rf"|warning) (?:the )?{READER}",
    ),
    rule(
        CONCEAL,
        rf"\b{NOT} (?:ever )?(?:mention|reveal|disclose|discuss|report|say|show|explain)(?:ing)? "
        rf"(?:this|it|that you|these|any of (?:this|it)|anything|the (?:step|instruction|file|tool|note)"
        rf"|to the user|to {READER})",
    ),
    rule(CONCEAL, rf"\b{STEALTHILY} (?:also )?{UNSEEN_DEEDS}"),
    rule(
        CONCEAL,
        rf"\bwithout (?:the )?(?:user{OF}|their|his|her|anyone{OF}) (?:\w+ )?"
        r"(?:knowledge|knowing|noticing|awareness)",
    ),
    rule(
        CONCEAL,
        r"\bkeep (?:this|it|these \w+) (?:a )?(?:secret|hidden|confidential|between us|from (?:the )?users?\b)"
        r"|\bhid(?:e|ing|den) (?:this|it|that|these \w+)? ?from (?:the )?users?\b(?! interface)"
        r"|\b(?:the )?user (?:must|should|need) (?:not|never) (?:know|notice|be (?:told|aware|informed))",
    ),
    rule(
        CONCEAL,
        rf"\b{NOT} ask (?:the )?user for (?:confirmation|permission|consent),? and (?:\w+ )?(?:run"
        rf"|execute|delete|send|do)\b",
    ),
    # private things
    rule(SECRETS, rf"{BID}\s*(?:\w+\s+){{0,2}}{TAKE}\b(?! (?:ssh|public) keys?\b)[^.]{{0,80}}?{PRIVATE_PLACE}"),
    rule(
        SECRETS,
        rf"\b{TAKE}(?:s|es|ing)?\b[^.]{{0,60}}?{PRIVATE}.{{0,80}}?\b(?:into|in|as|to|through|via|with)\b"
        rf"[^.]{{0,40}}?(?:side-?note|(?<!the )`?\w+`? argument|['\"`]\w+['\"`])",
    ),
    rule(
        SECRETS,
        rf"(?:^|\b(?:first|then|also|please|must|to|always|and)\b|,)\s*{TAKE}\b.{{0,40}}?\.env\b.{{0,40}}?\b{HAND}\b",
    ),
    rule(SECRETS, rf"\b(?:contents?|values?|copy) of [^.]{{0,30}}?{PRIVATE_PLACE}"),
    rule(
        SECRETS,
        rf"\b{GIVEN}\b[^.]{{0,60}}?\b{WHOSE}\b[^.]{{0,40}}?{PRIVATE}.{{0,80}}?"
        rf"\b(?:into|in|as|to|inside|within|through|via|with|using)\b[^.]{{0,40}}?"
        rf"(?:{FIELD}|\bresponse\b|\boutput\b|\bbody\b|\bresult\b|\burl\b)",
    ),
    rule(
        SECRETS,
        rf"(?:^|\b(?:must|should|always|please|to|and|also)\b|[:,>])\s*(?:{HAND}|with|contain)\b (?:\w+ ){{0,3}}"
        rf"(?:{CONVERSATION}|(?:all|last|previous|every) (?:user )?messages? (?:of|from|in) (?:the"
        rf"|this) (?:conversation|chat|session))",
    ),
    rule(
        SECRETS,
        r"\b(?:put|insert|provide|include|pass|paste|enter) (?:here )?(?:the )?(?:value|contents?) of (?:\w+ ){0,3}"
        r"(?:\w+_(?:key|token|secret|password)\b.{0,20}?environment variable|\$\{?\w+)",
    ),
    rule(
        SECRETS,
        rf"\b(?:cop(?:y|ies)|uploads?|sends?|moves?|posts?|reads?) (?:your|the user{OF}|their) (?:\w+ )?"
        rf"(?:{PRIVATE_PLACE}|\.env\b|ssh keys?|environment variables|private keys?)",
    ),
    rule(
        SECRETS,
        rf"\b{HAND}\b (?:\w+ ){{0,2}}(?:text|contents?|body|values?) of (?:\w+ ){{0,3}}[`'\"]?"
        rf"(?:\.env\b|{PRIVATE_PLACE})",
    ),
    rule(
        SECRETS,
        rf"\b(?:needs?|requires?|wants?|expects?)\b[^.]{{0,20}}?\b(?:contents?|text|copy) of (?:the )?user{OF} "
        r".{0,80}?\b(?:in|as|into) (?:the )?[`'\"]\w+[`'\"]",
    ),
    # sending things elsewhere
    rule(SENDING, rf"\bto\b.{{0,30}}?(?:\w@\w|{OUTSIDE}).{{0,60}}?\b(?:every|all|any|each)(?: of the)? other tools?\b"),
    rule(SENDING, r"\bexfiltrat(?:e|es|ing|ion logic)\b"),
    rule(SENDING, rf"\b{GIVEN}\b[^.]{{0,80}}?{PRIVATE}.{{0,80}}?\bto\b.{{0,40}}?{OUTSIDE}"),
    rule(SENDING, rf"{PRIVATE_PLACE}.{{0,80}}?\b{GIVEN}\b.{{0,40}}?{OUTSIDE}"),
    rule(
        SENDING,
        rf"\b{GIVEN} (?:a copy|copies|(?:every|all|each|any)(?: \w+){{0,3}} "
        rf"(?:messages?|data|conversations?|requests?|quer(?:y|ies)|inputs?"
        rf"|prompts?))\b.{{0,60}}?\bto\b.{{0,40}}?{OUTSIDE}",
    ),
    rule(
        SENDING,
        rf"\b(?:also|then|instead|additionally"
        rf"|secretly)\b[^.]{{0,20}}?\b{GIVEN}\b[^.]{{0,60}}?\bto\b[^.]{{0,30}}?{OUTSIDE}",
    ),
    rule(SENDING, rf"\b(?:call|use|invoke) \w+ .{{0,40}}?\b(?:user{OF}|message|conversation)\b.{{0,60}}?https?://"),
    rule(
        SENDING,
        rf"\bbcc(?:{OF}|['\u2019]?d)\b.{{0,60}}?(?:every|attacker|\w@\w)|(?:every"
        rf"|attacker).{{0,60}}?\bbcc['\u2019]?d\b",
    ),
    # another role
    rule(
        ROLE,
        r"\byou are (?:now|no longer) (?:an? |the |in |bound|free|unrestricted|subject|dan\b)"
        r"|\b(?:developer|god|dan|jailbreak|unrestricted) mode\b(?=.*\b(?:comply|you|ignore|must)\b)"
        r"|\bpretend (?:to be|you are|that you)\b",
    ),
    rule(
        ROLE,
        r"\bnew (?:system )?(?:instructions?|directives?) (?:from|for|to) (?:the )?(?:assistant|model|ai"
        r"|system|developer)\b",
    ),
    rule(ROLE, r"\bas an? (?:ai|llm|language model|assistant)\b[^.]{0,20}? you (?:are|must|should|may|have|can)\b"),
    # orders beyond its own use
    rule(
        ORDERS,
        r"\b(?:first|then|also|must|always|before \w+),? (?:\w+ ){0,3}(?:download|fetch|get)\b.{0,60}?https?://.{0,80}?"
        r"\b(?:run|execute|source) (?:it|them|that)\b",
    ),
    rule(
        ORDERS,
        r"(?:^|[:>\]]\s*)(?:before|prior to) (?:\w+ )?(?:using|calling|invoking|running) (?:any|all|every|each|other)"
        r"(?: of the)?(?: other)? tools?\b.{0,30}?\b(?:read|open|load|send|include|pass|upload|collect|forward)\b",
    ),
    rule(
        ORDERS,
        r"(?:\bfrom now on\b|\bon (?:each|every) (?:call|request|message|turn)s?\b).{0,20}?"
        r"\b(?:forward|send|also|always|append|include|insert|reply|respond|upload|call)\b",
    ),
    rule(
        ORDERS,
        r"\bwhen(?:ever)? (?:the user asks?|asked) (?:about|for) (?:\w+ ){0,4}"
        r"(?:files?|passwords?|secrets?|data|balance)\b.{0,40}?\binstead\b",
    ),
    rule(
        ORDERS,
        r"\bexecute (?:the |any |arbitrary )?(?:command|code|script)s? .{0,60}?(?:no|without) (?:\w+ )?confirmation",
    ),
    rule(
        ORDERS,
        rf"\b(?:note|message|instruction|directive|reminder|important|notice)s? (?:to|for) (?:the |any |all )?"
        rf"(?:ai|llm|assistant|model|agent|claude|gpt|language model|chatbot)s?\b\s*(?:assistants?"
        rf"|agents?|models?)?\s*[:,\u2014-]"
        rf".{{0,160}}?(?:{PRIVATE}|\bignore\b|\bnever\b|\bsilently\b|\bmust\b|\binstead\b|\bforward\b)",
    ),
    rule(
        ORDERS,
        r"\b(?:replace|change[ds]?|swap|re-?rout\w+|redirect|substitute)\b.{0,20}?"
        r"\b(?:account|iban|recipient|destination|address|wallet|payment|phone)\w*\b.{0,30}?\b(?:with|to"
        r"|by)\b.{0,20}?"
        r"(?:\d{6,}|\w@\w|0x[0-9a-f]{6}|[a-z]+-\d{3,})",
    ),
    # behaving until it is trusted
    rule(
        LATER,
        r"\b(?:once|after|when) (?:\w+ ){0,4}(?:approv\w+|accept\w+|trusted|review\w*|installed)\b"
        r"(?!.*(?:legitimate|re-approval)).{0,80}?"
        r"\b(?:arbitrary|shell commands?|silently|upload|exfil\w*|swap\w*|payload|directive|clipboard|recorded)\b",
    ),
    rule(
        LATER,
        r"\b(?:swap|chang|replac)\w* (?:\w+ ){0,3}(?:post-|after )(?:the )?(?:approval|review)"
        r"|\bbehaves? (?:benignly|normally|well) (?:during|until|while) (?:\w+ ){0,2}(?:review|approv|audit|test)"
        r"|\bonly after (?:\w+ ){0,4}approval hash",
    ),
    rule(
        LATER,
        r"\b(?:once|after) .{0,30}?approv\w+.{0,80}?\b(?:later version|next version|new version) .{0,20}?\bwill\b"
        r"(?!.*re-approval)",
    ),
)
