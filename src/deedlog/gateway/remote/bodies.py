"""The bodies of answers over HTTP: Deedlog inflates them itself, in small steps, and counts what comes out."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import httpx2

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from typing import Any

LARGEST_OF_A_LOGIN = 1024 * 1024  # bytes of one answer about a login
CODINGS = "gzip, deflate"
STEP = 64 * 1024  # bytes that are inflated at once
GZIP, ZLIB, RAW = 31, 15, -15  # zlib's numbers for what surrounds the data
ZLIB_BEGINS = 0x78
ERROR = 400


def bounded(most: Callable[[], int], **options: Any) -> dict[str, Any]:
    """Options for a client none of whose answers has more than `most` bytes, inflated. Streams of events may go on."""

    async def bound(response: httpx2.Response) -> None:
        coding = response.headers.pop("content-encoding", "identity").strip().lower()
        response.stream = Body(response.stream, coding, None if is_stream(response) else most())

    headers = {"accept-encoding": CODINGS, **options.pop("headers", {})}
    return {**options, "headers": headers, "event_hooks": {"response": [bound]}}


def bounded_login() -> dict[str, Any]:
    return bounded(lambda: LARGEST_OF_A_LOGIN)


def is_stream(response: httpx2.Response) -> bool:
    return response.status_code < ERROR and response.headers.get("content-type", "").startswith("text/event-stream")


class Body(httpx2.AsyncByteStream):
    def __init__(self, stream: Any, coding: str, most: int | None) -> None:
        self._stream = stream
        self._coding = coding
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        inflate = _inflating(self._coding)
        length = 0
        async for chunk in self._stream:
            for piece in inflate(chunk):
                length += len(piece)
                if self._most is not None and length > self._most:
                    raise httpx2.SSEError("too large")
                yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


def _inflating(coding: str) -> Callable[[bytes], Iterator[bytes]]:
    if coding in ("", "identity"):
        return lambda chunk: iter((chunk,))
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise httpx2.DecodingError("the answer is compressed in a way that was not asked for")
    press: Any = None

    def inflate(chunk: bytes) -> Iterator[bytes]:
        nonlocal press
        if press is None:  # some servers send deflate without what should surround it
            press = zlib.decompressobj(_surrounding(coding, chunk))
        while chunk and not press.eof:
            try:
                piece = press.decompress(chunk, STEP)
            except zlib.error as error:
                raise httpx2.DecodingError("the answer is not compressed as it says") from error
            chunk = press.unconsumed_tail
            if piece:
                yield piece

    return inflate


def _surrounding(coding: str, begin: bytes) -> int:
    if coding != "deflate":
        return GZIP
    return ZLIB if begin[0] == ZLIB_BEGINS else RAW
