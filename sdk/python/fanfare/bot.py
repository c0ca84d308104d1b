"""Bots: a client that also receives events, over Socket.IO."""

from __future__ import annotations

import hashlib
import hmac
import logging
import random
import threading
import time
from collections.abc import Callable
from typing import Any

import socketio

from . import types
from .client import Client
from .events import Events
from .http import FanfareError

_log = logging.getLogger("fanfare")
READY_TIMEOUT_S = 15
MAX_WAIT_S = 15
# Older callbacks are rejected as possible replays.
MAX_AGE_S = 300


class Bot(Client, Events):
    """A bot that receives the messages of all channels that it can read.

    It reconnects by itself. Messages sent in between are not received: to miss none, call
    `channel.sync`, or subscribe to callbacks.
    """

    def __init__(self, url: str, token: str, **options: Any) -> None:
        if not token.startswith("fbot."):
            raise ValueError("A bot token starts with fbot.")
        Client.__init__(self, url, token, **options)
        Events.__init__(self)
        self._commands: dict[str, tuple[str, Callable[[types.Invocation], Any]]] = {}
        self._interactions: dict[str, Callable[[types.Interaction], Any]] = {}
        self._modals: dict[str, Callable[[types.ModalSubmission], Any]] = {}
        self._stopped = threading.Event()
        self._refusal: FanfareError | None = None
        self._socket: socketio.Client | None = None
        self.info: types.Bot | None = None
        self.on_command_invoked(self._invoked)
        self.on_interaction_created(self._interacted)
        self.on_modal_submitted(self._submitted)

    def on_message(self, handler: Callable[[types.Message], Any]) -> Callable[[types.Message], Any]:
        """Handles new messages of other users."""

        def handle(event: types.MessageCreatedEvent) -> None:
            for message in event["messages"]:
                if self.info is None or message["authorId"] != self.info["id"]:
                    self._run(handler, message)

        self.on_message_created(handle)
        return handler

    def on_command(
        self, name: str, description: str
    ) -> Callable[[Callable[[types.Invocation], Any]], Callable[[types.Invocation], Any]]:
        """Handles `/name` in any channel that the bot can see."""

        def register(handler: Callable[[types.Invocation], Any]) -> Callable[[types.Invocation], Any]:
            self._commands[name] = (description, handler)
            return handler

        return register

    def on_interaction(
        self, control_id: str
    ) -> Callable[[Callable[[types.Interaction], Any]], Callable[[types.Interaction], Any]]:
        """Handles a button or select, and those whose id has more after a colon, such as `retry:7`.

        The interaction is acknowledged when the handler returns, which has to take less than 3 s.
        """

        def register(handler: Callable[[types.Interaction], Any]) -> Callable[[types.Interaction], Any]:
            self._interactions[control_id] = handler
            return handler

        return register

    def on_modal(
        self, modal_id: str
    ) -> Callable[[Callable[[types.ModalSubmission], Any]], Callable[[types.ModalSubmission], Any]]:
        """Handles the submission of a modal, within 3 s.

        A dictionary that the handler returns has the errors of fields, by their id: the modal
        stays open.
        """

        def register(
            handler: Callable[[types.ModalSubmission], Any],
        ) -> Callable[[types.ModalSubmission], Any]:
            self._modals[modal_id] = handler
            return handler

        return register

    def reply(self, message: types.Message, content: str) -> types.Message:
        """Answers a message in its channel."""
        return self.send(message["channelId"], content, replyTo=message["id"])

    def run(self) -> None:
        """Registers the commands and handles events, until `stop` is called.

        Raises FanfareError when the server refuses the token.
        """
        self.info = self.bot.me()["bot"]
        for name, (description, _) in self._commands.items():
            self.command.register(name=name, description=description)
        wait_s = 0.5
        while not self._stopped.is_set():
            if self._connect_once():
                wait_s = 0.5
            if self._refusal is not None:
                raise self._refusal
            self._stopped.wait(wait_s * (1 + random.random()))
            wait_s = min(MAX_WAIT_S, wait_s * 2)

    def stop(self) -> None:
        self._stopped.set()
        if self._socket is not None:
            self._socket.disconnect()

    def _connect_once(self) -> bool:
        """Returns whether it was connected, once the connection has ended."""
        self._socket = socket = socketio.Client(reconnection=False)
        ready = threading.Event()

        def receive(event: str, payload: Any = None) -> None:
            if event == "ready":
                ready.set()
            for handler in self._handlers.get(event, []):
                self._run(handler, payload)

        def refused(data: Any = None) -> None:
            if isinstance(data, dict) and "type" in data.get("data", data):
                error = FanfareError(data.get("data", data))
                if not error.retryable:
                    self._refusal = error

        socket.on("*", receive)
        socket.on("connect_error", refused)
        try:
            socket.connect(self.url, transports=["websocket"], auth={"token": self.token})
            if ready.wait(READY_TIMEOUT_S):
                socket.wait()
            else:
                socket.disconnect()
        except socketio.exceptions.ConnectionError as error:
            _log.info("connection failed: %s", error)
        return ready.is_set()

    def _run(self, handler: Callable[[Any], Any], payload: Any) -> None:
        try:
            handler(payload)
        except Exception:
            _log.exception("handler failed")

    def _invoked(self, event: types.CommandInvokedEvent) -> None:
        _, handler = self._commands.get(event["invocation"]["command"], (None, None))
        if handler is not None:
            handler(event["invocation"])

    def _interacted(self, event: types.InteractionCreatedEvent) -> None:
        interaction = event["interaction"]
        control_id = interaction["controlId"]
        handler = _handler_of(self._interactions, control_id)
        if handler is not None:
            handler(interaction)
            self.interaction.acknowledge(interactionId=interaction["id"])

    def _submitted(self, event: types.ModalSubmittedEvent) -> None:
        submission = event["submission"]
        handler = _handler_of(self._modals, submission["modalId"])
        if handler is not None:
            errors = handler(submission) or {}
            self.interaction.acknowledge(interactionId=submission["id"], errors=errors)


def _handler_of(handlers: dict[str, Callable[[Any], Any]], name: str) -> Callable[[Any], Any] | None:
    return handlers.get(name) or handlers.get(name.split(":")[0])


def verify_callback(secret: str, body: bytes, timestamp: str, signature: str) -> bool:
    """Whether a callback was signed with the secret within the last five minutes.

    `body` is the raw body; `timestamp` and `signature` are the headers fanfare-timestamp and
    fanfare-signature.
    """
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > MAX_AGE_S:
        return False
    signed = timestamp.encode() + b"." + body
    expected = "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, signature)
