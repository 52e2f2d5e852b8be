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
    # what people see first, and the board
    *said_in(
        "DESIGN §4 page",
        {
            "page:now:running": "What runs tells its task, its agent, how long it has been at it and how far it is by its own word.",
            "page:now:finished": "What finished lately comes with its outcome and the lines it changed, what ended last first.",
            "page:now:counts": "The counts of what people see first are those of the lists they lead to.",
            "page:now:bounded": "What people see first asks the store no more often where there is more in it.",
            "page:board:columns": "Every task stands in one column of the board, and the counts of columns are true.",
            "page:board:filters": "The board is narrowed by label, agent, area, text and workflow.",
            "page:board:moves": "A card offers the moves that an operation can do, and each that it offers is taken.",
        },
    ),
)
