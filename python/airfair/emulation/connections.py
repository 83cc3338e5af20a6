"""Server with a thread for each connection, up to a maximum."""

from __future__ import annotations

import socketserver
import sys
import threading
from contextlib import suppress
from typing import Any


class Limited(socketserver.ThreadingMixIn, socketserver.BaseServer):
    """Mix-in of a server; answers connections beyond the maximum with `refusal`, and closes them."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, most: int, refusal: bytes, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - as inherited
        self._places = threading.BoundedSemaphore(most)
        self._refusal = refusal
        super().__init__(*arguments, **options)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as inherited
        """Answer a connection in a thread of its own, if there is room."""
        if self._places.acquire(blocking=False):
            try:
                super().process_request(request, client_address)
            except BaseException:
                self._places.release()
                raise
            return
        with suppress(OSError):
            request.settimeout(0)
            request.send(self._refusal)
        self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as inherited
        """Answer a connection, and make room for another."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as inherited
        """Report an error of this program."""
        # A client that closed the connection, or that no longer reads, gets no answer.
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)
