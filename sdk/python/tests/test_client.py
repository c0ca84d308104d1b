import hashlib
import hmac
import json
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

from fanfare import Client, FanfareError, verify_callback

ERROR = {"message": "", "retryable": True, "requestId": "r"}


class Server:
    """Answers the calls with the given responses, in their order: (status, body, headers)."""

    def __init__(self, *answers):
        self.calls = []
        remaining = list(answers)
        calls = self.calls

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                calls.append((self.path, json.loads(body), self.headers["authorization"]))
                status, answer, headers = remaining.pop(0)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer if isinstance(answer, bytes) else json.dumps(answer).encode())

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.client = Client(f"http://127.0.0.1:{self.server.server_port}", "fbot.token", max_tries=3)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def failed(kind, status=503, **data):
    return (status, {"ok": False, "error": {**ERROR, "type": kind, "data": data}}, {})


MESSAGE = (200, {"ok": True, "data": {"message": {"id": "m"}}}, {})
GROUPS = (200, {"ok": True, "data": {"groups": []}}, {})


class ClientTest(unittest.TestCase):
    def test_a_message_is_repeated_with_its_nonce(self):
        with Server(failed("UNAVAILABLE", retryAfterMs=1), failed("OVERLOADED", retryAfterMs=1), MESSAGE) as at:
            self.assertEqual(at.client.send("c", "hello")["id"], "m")
        first, second, third = (params for _, params, _ in at.calls)
        self.assertNotIn("resend", first)
        self.assertEqual(second, {**first, "resend": True})
        self.assertEqual(third, second)
        self.assertEqual(at.calls[0][0], "/api/message.send")
        self.assertEqual(at.calls[0][2], "Bearer fbot.token")

    def test_reads_are_repeated_and_other_calls_only_if_they_were_not_executed(self):
        with Server(failed("UNAVAILABLE", retryAfterMs=1), GROUPS) as at:
            self.assertEqual(at.client.group.list_mine(), {"groups": []})
        with Server(failed("UNAVAILABLE", retryAfterMs=1)) as at:
            with self.assertRaises(FanfareError) as raised:
                at.client.channel.delete(channelId="c")
            self.assertEqual(raised.exception.type, "UNAVAILABLE")
        with Server(failed("RATE_LIMITED", 429, retryAfterMs=1), (200, {"ok": True, "data": {}}, {})) as at:
            at.client.channel.delete(channelId="c")

    def test_it_gives_up_after_some_tries(self):
        answers = [failed("OVERLOADED", retryAfterMs=1)] * 3
        with Server(*answers) as at, self.assertRaises(FanfareError):
            at.client.group.list_mine()
        self.assertEqual(len(at.calls), 3)

    def test_the_header_retry_after_counts_if_the_error_has_no_time(self):
        status, body, _ = failed("RATE_LIMITED", 429)
        with Server((status, body, {"retry-after": "0"}), GROUPS) as at:
            before = time.monotonic()
            at.client.group.list_mine()
            self.assertLess(time.monotonic() - before, 1)

    def test_responses_of_proxies_and_lost_connections_are_errors(self):
        with Server((502, b"<html>", {})) as at, self.assertRaises(FanfareError) as raised:
            at.client.group.list_mine()
        self.assertEqual(raised.exception.type, "UNEXPECTED_ANSWER")
        with self.assertRaises(FanfareError) as raised:
            Client(at.client.url, max_tries=1).group.list_mine()
        self.assertEqual(raised.exception.type, "CONNECTION_LOST")


class VerifyCallbackTest(unittest.TestCase):
    def test_only_recent_signatures_with_the_secret_are_valid(self):
        def sign(secret, timestamp, body=b"{}"):
            signed = str(timestamp).encode() + b"." + body
            return "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()

        now = int(time.time())
        self.assertTrue(verify_callback("secret", b"{}", str(now), sign("secret", now)))
        self.assertFalse(verify_callback("secret", b"{}", str(now), sign("other", now)))
        self.assertFalse(verify_callback("secret", b"[]", str(now), sign("secret", now)))
        self.assertFalse(verify_callback("secret", b"{}", str(now - 301), sign("secret", now - 301)))
        self.assertFalse(verify_callback("secret", b"{}", "", ""))


if __name__ == "__main__":
    unittest.main()
