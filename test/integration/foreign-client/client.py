"""A client in another language, written from docs/build/protocol.md alone. It follows one channel.

Usage: client.py URL TOKEN CHANNEL_ID. A line on standard input asks for its state; the end of the input ends it. Prints JSON lines:
{"ready": true} once, and {"rev", "messages", "gaps", "repeated", "broken"} for each line that it reads.
"""

import json
import random
import sys
import threading
import time

import socketio

URL, TOKEN, CHANNEL = sys.argv[1:4]
SYNC_WAIT_S = 0.2
SILENCE_S = 30
CALL_TIMEOUT_S = 15


class Channel:
    """The log of a channel: every message by its seq, complete up to `rev`."""

    def __init__(self):
        self.lock = threading.RLock()
        self.rev = 0
        self.messages = {}
        self.early = {}
        self.gaps = 0
        self.repeated = 0
        self.broken = []
        self.needs_sync = threading.Event()
        self.last_event = time.monotonic()

    def change(self, rev, apply):
        """Applies one event: the next one, a duplicate, or one beyond a gap."""
        with self.lock:
            self.last_event = time.monotonic()
            if rev <= self.rev or rev in self.early:
                self.repeated += 1
                return
            self.early[rev] = apply
            self.apply_early()
            if self.early:
                self.gaps += 1
                self.needs_sync.set()

    def apply_early(self):
        while self.rev + 1 in self.early:
            if self.early.pop(self.rev + 1)() is False:
                # A reaction to a state we do not have: only a sync can fix it.
                self.needs_sync.set()
                return
            self.rev += 1

    def store(self, message):
        known = self.messages.get(message["seq"])
        if known is None or known["rev"] < message["rev"]:
            self.messages[message["seq"]] = message

    def react(self, event):
        message = next((m for m in self.messages.values() if m["id"] == event["messageId"]), None)
        if message is None or message["rev"] != event["afterRev"]:
            return False
        message["reactions"] = event["reactions"]
        message["rev"] = event["rev"]
        return True

    def synced(self, answer):
        with self.lock:
            if answer["status"] == "resync":
                return False
            if answer["status"] == "gone":
                self.broken.append("gone")
                return True
            for message in answer["messages"]:
                self.store(message)
            self.rev = max(self.rev, answer["head"]["rev"])
            self.early = {rev: apply for rev, apply in self.early.items() if rev > self.rev}
            self.apply_early()
            return True

    def first_page(self, page):
        with self.lock:
            self.messages = {}
            for message in page["messages"]:
                self.store(message)
            self.rev = page["head"]["rev"]
            self.early = {rev: apply for rev, apply in self.early.items() if rev > self.rev}
            self.apply_early()


channel = Channel()
ready = threading.Event()
sio = socketio.Client(reconnection=False)


@sio.on("ready")
def on_ready(_):
    ready.set()
    channel.needs_sync.set()


@sio.on("resync")
def on_resync(*_):
    channel.needs_sync.set()


@sio.on("message.created")
def on_created(event):
    for message in event["messages"]:
        if message["channelId"] == CHANNEL:
            channel.change(message["rev"], lambda message=message: channel.store(message))


@sio.on("message.changed")
def on_changed(event):
    message = event["message"]
    if message["channelId"] == CHANNEL:
        channel.change(message["rev"], lambda: channel.store(message))


sio.on("message.deleted", on_changed)


@sio.on("reaction.changed")
def on_reaction(event):
    if event["channelId"] == CHANNEL:
        channel.change(event["rev"], lambda: channel.react(event))


def call(action, params):
    """Retries a read-only call after the time the server asks for."""
    while True:
        answer = sio.call(action, params, timeout=CALL_TIMEOUT_S)
        if answer["ok"]:
            return answer["data"]
        error = answer["error"]
        if not error["retryable"]:
            raise RuntimeError(f"{action}: {error['type']}")
        time.sleep((error.get("data") or {}).get("retryAfterMs", 1000) / 1000 * (1 + random.random()))


def keep_connected():
    wait = 0.5
    while True:
        ready.clear()
        try:
            sio.connect(URL, transports=["websocket"], auth={"token": TOKEN})
            if ready.wait(15):
                wait = 0.5
                sio.wait()
            else:
                sio.disconnect()
        except socketio.exceptions.ConnectionError:
            pass
        time.sleep(wait + random.random() * wait)
        wait = min(15, wait * 2)


def keep_synced():
    while True:
        remaining = SILENCE_S - (time.monotonic() - channel.last_event)
        is_asked = channel.needs_sync.wait(max(0.1, remaining))
        if not ready.is_set():
            time.sleep(0.1)
            continue
        if is_asked:
            time.sleep(random.random() * SYNC_WAIT_S)
        channel.needs_sync.clear()
        channel.last_event = time.monotonic()
        try:
            cursors = [{"channelId": CHANNEL, "afterRev": channel.rev}]
            answer = call("channel.sync", {"cursors": cursors})["channels"][0]
            if not channel.synced(answer):
                channel.first_page(call("message.list", {"channelId": CHANNEL, "limit": 100}))
        except Exception as error:
            if sio.connected:
                channel.broken.append(repr(error))
            channel.needs_sync.set()


def say(value):
    print(json.dumps(value), flush=True)


threading.Thread(target=keep_connected, daemon=True).start()
threading.Thread(target=keep_synced, daemon=True).start()
ready.wait()
say({"ready": True})
for _ in sys.stdin:
    with channel.lock:
        messages = sorted(channel.messages.values(), key=lambda message: message["seq"])
        say(
            {
                "rev": channel.rev,
                "messages": messages,
                "gaps": channel.gaps,
                "repeated": channel.repeated,
                "broken": channel.broken,
            }
        )
