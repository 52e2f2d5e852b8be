from __future__ import annotations

from tests.ops.workers.conftest import Shop


def test_who_waits_is_started_as_far_as_there_is_room(shop: Shop) -> None:
    shop.configure(max_workers=1)
    pipe = shop.pipe()
    first = shop.run(shop.task(f"wait {pipe}"))
    second, third = (shop.run(shop.task(f"wait {shop.pipe(name)}")) for name in ("one", "two"))
    assert shop.call("worker_dispatch") == {"started": [], "driven": []}
    shop.configure(max_workers=2)
    assert shop.call("worker_dispatch") == {"started": [second["sessionId"]], "driven": []}
    assert shop.session(third["sessionId"]).status == "queued"
    shop.configure(max_workers=1)
    pipe.write_text("go")
    shop.wait(first["sessionId"])
