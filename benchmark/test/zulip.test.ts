import { describe, expect, test, vi } from "vitest";
import { ALL_RECEIVED, eachWith, receivedByExisting } from "./each-with.ts";
import { startFakeZulip } from "./fake-zulip.ts";
import { measure } from "./measure.ts";

const server = eachWith(startFakeZulip);
const target = () => ({ name: "zulip", url: server().url });

test("makes these calls in this order, and leaves nothing", async () => {
  server().heartbeatMs = 30_000;
  await measure({ users: 1, probes: 0, messages: 1 }, target());
  const calls = server().calls.map((call) =>
    call
      .replace(/^admin@zulip\.example:/, "admin:")
      .replace(/^bench-[0-9a-f]{10}-0@example\.com:/, "member:"),
  );
  const poll = "member: GET /api/v1/events queue_id last_event_id";
  const send = "admin: POST /api/v1/messages type to topic content";
  expect(calls).toEqual([
    "admin: POST /api/v1/users/me/subscriptions subscriptions",
    "admin: GET /api/v1/get_stream_id stream",
    "admin: POST /api/v1/users email password full_name",
    "-: POST /api/v1/fetch_api_key username password",
    "member: POST /api/v1/users/me/subscriptions subscriptions",
    "member: POST /api/v1/register event_types apply_markdown",
    poll,
    send,
    poll,
    send,
    poll,
    "admin: GET /api/v1/messages anchor include_anchor num_before num_after apply_markdown narrow",
    "admin: DELETE /api/v1/streams/:channel",
    "admin: DELETE /api/v1/users/:user",
  ]);
  expect(server().subscribers).toBeUndefined();
  expect(server().active()).toBe(0);
});

test("reads back all pages of messages", async () => {
  const { counts } = await measure({ users: 1, probes: 0, messages: 1, burst: [220] }, target());
  expect(counts).toMatchObject({ acknowledged: 222, stored: 222, storedTwice: 0, received: 222 });
});

test("a message stored with another text is not stored", async () => {
  server().storedAs = (text) => text.replace(/.$/, "-");
  const { counts } = await measure({ messages: 2 }, target());
  expect(counts).toMatchObject({ acknowledged: 3, stored: 0, received: 120 });
});

for (const kind of ["light", "official"] as const)
  test(
    `a deleted event queue ends the connection: ${kind}`,
    { tags: kind === "light" ? [] : "long" },
    async () => {
      server().expired.add(7);
      const { counts, errors } = await measure({ kind, probes: 0, messages: 1 }, target());
      expect(counts).toMatchObject({ dropped: 1 });
      expect(errors).toContainEqual({ phase: "connection", code: "HTTP_400", count: 1 });
    },
  );

describe("errors say what to do", () => {
  test("a wrong API key", async () => {
    vi.stubEnv("ZULIP_ADMIN", "admin@zulip.example:guess");
    await expect(measure({}, target())).rejects.toThrow("HTTP_401: Invalid API key. Is ZULIP_ADMIN valid?");
  });

  test("an administrator who can't create users", async () => {
    server().canCreateUsers = false;
    await expect(measure({}, target())).rejects.toThrow("HTTP_400: User not authorized to create users");
  });

  test("the rate limit", async () => {
    server().isLimited = true;
    await expect(measure({ users: 250 }, target())).rejects.toThrow(
      "HTTP_429: API usage exceeded rate limit. Set RATE_LIMITING = False in /etc/zulip/settings.py for a test",
    );
  });
});

test("users of --tokens send and receive in their channel, and are left as they are", async () => {
  const [senderToken = "", ...memberTokens] = Array.from({ length: 21 }, () => server().addUser());
  const channel = server().addChannel([senderToken, ...memberTokens]);
  const existing = { senderToken, memberTokens, channel };
  expect(await receivedByExisting(target(), existing)).toEqual({ ...ALL_RECEIVED, stored: 4 });
  expect(server().subscribers?.size).toBe(21);
  expect(server().active()).toBe(21);
});
