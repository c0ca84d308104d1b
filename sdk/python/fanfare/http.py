"""Calls of actions by HTTP."""

from __future__ import annotations

import json
import random
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, Protocol

# Not executed, so every call can be repeated.
NOT_EXECUTED = {"RATE_LIMITED", "OVERLOADED", "MAINTENANCE"}
# Perhaps executed.
UNKNOWN_OUTCOME = {"UNAVAILABLE", "CONNECTION_LOST"}


class FanfareError(Exception):
    """Handle it by `type`; the message is for people.

    Types without a response of the server: CONNECTION_LOST (the call may have been executed),
    and UNEXPECTED_ANSWER (the response is not from Fanfare, for example from a proxy).
    """

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error['type']}: {error['message']}")
        self.type: str = error["type"]
        self.data: Any = error.get("data")
        self.retryable: bool = error["retryable"]
        self.request_id: str = error.get("requestId", "")


class Caller(Protocol):
    def call(self, action: str, params: Mapping[str, Any], *, is_read_only: bool = False) -> Any: ...


class HttpCaller:
    """Calls actions, and repeats those that were not executed or that only read."""

    def __init__(self, url: str, token: str | None, *, timeout_s: float, max_tries: int) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._timeout_s = timeout_s
        self._max_tries = max_tries

    def call(self, action: str, params: Mapping[str, Any], *, is_read_only: bool = False) -> Any:
        for tries in range(1, self._max_tries + 1):
            try:
                return self._call_once(action, params)
            except FanfareError as error:
                is_message = action == "message.send" and "nonce" in params
                is_safe = is_read_only or is_message
                if tries == self._max_tries:
                    raise
                if error.type not in NOT_EXECUTED and not (error.type in UNKNOWN_OUTCOME and is_safe):
                    raise
                if is_message:
                    params = {**params, "resend": True}
                wait_s = (error.data or {}).get("retryAfterMs", 500 * 2**tries) / 1000
                time.sleep(wait_s * (1 + random.random() / 2))
        raise AssertionError("unreachable")

    def _call_once(self, action: str, params: Mapping[str, Any]) -> Any:
        headers = {"content-type": "application/json"}
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        request = urllib.request.Request(
            f"{self._url}/api/{action}", json.dumps(params).encode(), headers, method="POST"
        )
        retry_after = None
        try:
            with urllib.request.urlopen(request, timeout=self._timeout_s) as response:
                body = response.read()
        except urllib.error.HTTPError as response:
            retry_after = response.headers.get("retry-after")
            body = response.read()
        except OSError as error:
            raise FanfareError(_local("CONNECTION_LOST", str(error), retryable=True)) from error
        try:
            answer = json.loads(body)
            if answer["ok"]:
                return answer["data"]
            failure = answer["error"]
        except (ValueError, KeyError, TypeError):
            message = "The response is not from Fanfare."
            raise FanfareError(_local("UNEXPECTED_ANSWER", message, retryable=False)) from None
        if retry_after is not None and retry_after.isdigit():
            failure["data"] = {"retryAfterMs": int(retry_after) * 1000, **(failure.get("data") or {})}
        raise FanfareError(failure)


def _local(kind: str, message: str, *, retryable: bool) -> dict[str, Any]:
    return {"type": kind, "message": message, "retryable": retryable}
