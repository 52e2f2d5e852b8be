from tests.requirements.promise import said_in

REQUIREMENTS = (
    # the live page
    *said_in(
        "DESIGN §6",
        {
            "page:text:escaped": "Text of users, agents and servers is escaped on the page.",
            "page:token:own": "What the page changes needs the page's own token.",
        },
        later=8,
    ),
)
