from tests.requirements.promise import said_in

REQUIREMENTS = (
    *said_in(
        "DESIGN",
        {
            "rights:kinds": "Person, agent and program: all that comes over MCP is an agent, so is a command in an agent's shell; a program with the token has an agent's rights.",
            "rights:declared": "Every operation declares who may call it; what needs a person is refused to agents and programs.",
            "rights:refusal": "A refusal says how a person allows the call once and how always.",
            "rights:once": "An approval lets the same call of the same actor pass one time, within a day.",
            "rights:always": "Only the user's own configuration allows agents something always; no repository and no environment does.",
            "rights:form": "A form in a client that the user started is a person's answer. Over HTTP it is not, unless the token has a person's rights.",
            "rights:event": "Every approval and every refusal of a person is an event, and the approved operation names its review.",
            "rights:actors": "Two windows of one client are two actors; calls and commands of one conversation are one. No agent chooses the name of another.",
            "rights:shown": "A person is shown all that they approve: nothing is masked or cut, and names stand with what they mean now.",
            "rights:same": "An approval holds for what was shown: once that changed, it is asked about under another id.",
            "rights:memory": "An agent's memory stays a draft until a person, who was shown all of it, activates it.",
        },
    ),
)
