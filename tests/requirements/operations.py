from tests.requirements.promise import said_in

REQUIREMENTS = (
    # foundation: one definition per operation
    *said_in(
        "DESIGN §3",
        {
            "operation:schema:portable": "An operation's signature becomes a JSON Schema without $ref, null arms or unions; a type that has none is refused.",
            "operation:definition:complete": "Every operation has a docstring, an effect, a capability, described fields, a file named after it and a test.",
            "operation:description:short": "No operation's description is longer than 1,024 characters.",
            "operation:catalog:current": "The generated catalog equals what the operations' sources say.",
            "operation:catalog:budget": "The tool list stays within its token budget.",
            "operation:words:derived": "A noun_verb name gives the CLI words and the HTTP address; any other operation names its words itself.",
            "operation:modules:small": "No module of the product is longer than 500 lines and no test module longer than 600.",
        },
    ),
    *said_in(
        "foundation",
        {
            "operation:one-file-every-face": "An operation added as one file is found on MCP, CLI, HTTP, OpenAPI, help and reference with equal schemas, equal results and equal refusals.",
            "operation:people:no-tool": "An operation for people is a command and an HTTP address, neither listed nor callable as an MCP tool; a call names the command.",
            "operation:name:unique": "Two operations cannot have one name.",
            "app:call:unknown": "A call of an unknown operation is refused with the nearest name.",
            "app:call:bug-hidden": "A bug in an operation reaches the caller as one line that says where the details are, never as its text or a traceback.",
            "app:call:read-writes-nothing": "An operation marked as a read cannot write.",
            "app:caller:checked": "Actor, cause and idempotency key are checked on every face alike: their length, no control characters, no empty key.",
            "app:call:always-an-op": "A write that changes none of our tables still leaves one op and one event.",
        },
    ),
    # foundation: the contract of the tools
    *said_in(
        "DESIGN §2",
        {
            "input:null:absent": "null for an optional argument equals leaving it out; for a required one it is missing.",
            "input:name:both-spellings": "Every input accepts its snake_case and its camelCase name, but not both at once.",
            "input:number:whole": "A whole-number input refuses 1.5, NaN, infinity, true/false, text and what is out of range.",
            "error:kinds:five": "Every refusal is one of Invalid, NotFound, Conflict, Denied, Unavailable, with a message that says what is wrong and a hint where that does not tell what to do.",
            "error:000:shape": "A refused tool of 000 answers isError with {error: true, code, message}.",
            "process:argv:only": "External programs get argument lists, never a shell string.",
            "face:cli:exit-codes": "The CLI exits 0 ok, 1 unexpected, 2 arguments, 3 configuration, 4 database, 5 not found or git, 6 state.",
            "capability:off:unlisted-and-refused": "An operation of a capability that is off is not listed and refused by name.",
            "capability:flag:unknown": "An unknown capability is refused with the nearest name.",
            "capability:switch:three-ways": "Each capability is switched by --enable-x / --disable-x, a config key or an environment variable.",
        },
    ),
    *said_in(
        "DESIGN §6",
        {
            "input:mistake:named": "A mistake in the arguments is named by its path, with the nearest known name or value.",
            "input:mistake:nothing-written": "A refused call writes nothing.",
            "input:text:clean": "NUL, lone surrogates and values nested too deeply are refused, never stored.",
            "web:host-and-origin:checked": "A request whose Host or Origin is not ours is refused, whatever its method and path.",
            "web:token:everything": "Every call over HTTP needs the token, reading too, on loopback too.",
            "web:token:beyond-loopback": "When serving beyond loopback every request needs the token.",
            "web:connections:bounded": "Connections that send no whole request are closed in time, and their number is limited.",
            "web:loopback:default": "HTTP listens on a loopback address unless told otherwise.",
            "secret:never-shown": "A token or database password is never printed, logged or stored in an event.",
            "secret:token:private": "The token is made once per store and kept in a file only its owner can read.",
        },
    ),
)
