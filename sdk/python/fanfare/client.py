"""A client that calls actions, without events."""

from __future__ import annotations

import uuid
from typing import Any, cast

from . import types
from .actions import Actions
from .http import HttpCaller


class Client(Actions):
    """Calls the actions of a server with a bot's token or an access token.

    A call that was not executed is repeated after the time that the server asks for. One whose
    outcome is unknown is only repeated if it only reads, or is a message with a nonce.
    """

    def __init__(
        self, url: str, token: str | None = None, *, timeout_s: float = 15, max_tries: int = 5
    ) -> None:
        super().__init__(HttpCaller(url, token, timeout_s=timeout_s, max_tries=max_tries))
        self.url = url
        self.token = token

    def send(self, channelId: str, content: str = "", **more: Any) -> types.Message:
        """Sends a message once, however often it is repeated. `more` is as in `message.send`."""
        params = {"nonce": str(uuid.uuid4()), "channelId": channelId, "content": content, **more}
        return self.message.send(**cast(types.MessageSendParams, params))["message"]
