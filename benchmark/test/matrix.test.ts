import { describe, expect, test, vi } from "vitest";
import { ALL_RECEIVED, eachWith, receivedByExisting } from "./each-with.ts";
import { startFakeMatrix } from "./fake-matrix.ts";
import { measure } from "./measure.ts";

const server = eachWith(startFakeMatrix);
const target = () => ({ name: "matrix", url: server().url });

test("makes these calls in this order, and leaves nothing", async () => {
  server().mostHoldMs = 30_000;
  await measure({ users: 1, probes: 0, messages: 1 }, target());
  const [owner, member] = server().users.map(({ id }) => id);
  const run = owner!.slice(1, -"-0:fake".length);
  expect(run).toMatch(/^bench-[0-9a-f]{10}$/);
  const calls = server().calls.map((call) =>
    call.replace(`${owner}:`, "owner:").replace(`${member}:`, "member:"),
  );
  const sync = "member: GET /_matrix/client/v3/sync filter set_presence timeout";
  const send = "owner: PUT /_matrix/client/v3/rooms/:room/send/m.room.message/:transaction msgtype body";
  expect(calls).toEqual([
    "-: GET /_synapse/admin/v1/register",
    "-: POST /_synapse/admin/v1/register nonce username password admin mac",
    "owner: POST /_synapse/admin/v1/users/:user/override_ratelimit messages_per_second burst_count",
    "owner: POST /_matrix/client/v3/createRoom preset name",
    "-: GET /_synapse/admin/v1/register",
    "-: POST /_synapse/admin/v1/register nonce username password admin mac",
    "owner: POST /_synapse/admin/v1/users/:user/override_ratelimit messages_per_second burst_count",
    "member: POST /_matrix/client/v3/rooms/:room/join",
    sync,
    `${sync} since`,
    send,
    `${sync} since`,
    send,
    `${sync} since`,
    "owner: GET /_matrix/client/v3/rooms/:room/messages dir limit",
    "owner: GET /_matrix/client/v3/rooms/:room/messages dir limit from",
    "owner: DELETE /_synapse/admin/v2/rooms/:room",
    "owner: POST /_synapse/admin/v1/deactivate/:user erase",
    "owner: POST /_synapse/admin/v1/deactivate/:user erase",
  ]);
  expect(server().rooms.size).toBe(0);
  expect(server().active()).toBe(0);
});

test("a message stored with another text is not stored", async () => {
  server().storedAs = (text) => text.replace(/.$/, "-");
  const { counts } = await measure({ messages: 2 }, target());
  expect(counts).toMatchObject({ acknowledged: 3, stored: 0, received: 120 });
});

for (const kind of ["light", "official"] as const)
  test(
    `a locked account is not online, with ${kind} receivers`,
    { tags: kind === "light" ? [] : "long" },
    async () => {
      // The owner registered first.
      server().locked.add(7);
      await expect(measure({ kind, probes: 0 }, target())).rejects.toThrow(
        /1 of 40 connections .* failed: HTTP_401/,
      );
    },
  );

test("a gap in the timeline is a resync, and its messages are lost", async () => {
  server().timelineLimit = 1;
  // Lost messages are waited for.
  const plan = { users: 5, probes: 0, messages: 1, burst: [20], timeoutMs: 1000 };
  const { counts } = await measure(plan, target());
  // Nothing is left out only if each message came with an answer of its own.
  expect(counts.resyncs > 0).toBe(counts.lost > 0);
  expect(counts.received + counts.lost).toBe(22 * 5);
});

describe("errors say what to do", () => {
  test("a wrong secret", async () => {
    vi.stubEnv("MATRIX_REGISTRATION_SECRET", "guess");
    await expect(measure({}, target())).rejects.toThrow(
      "matrix: /_synapse/admin/v1/register: HTTP_403: HMAC incorrect. Is MATRIX_REGISTRATION_SECRET right?",
    );
  });

  test("a server without registration", async () => {
    server().secret = undefined;
    await expect(measure({}, target())).rejects.toThrow(
      "HTTP_400: Shared secret registration is not enabled",
    );
  });

  test("another homeserver", async () => {
    server().isSynapse = false;
    await expect(measure({}, target())).rejects.toThrow(
      "HTTP_404: Unrecognized request. Homeservers other than Synapse need --tokens",
    );
  });
});

describe("users of --tokens", () => {
  const addUsers = (members: number) => {
    const [sender, ...others] = Array.from({ length: members + 1 }, () => server().addUser());
    const channel = server().addRoom([sender!, ...others]);
    return { senderToken: sender!.token, memberTokens: others.map(({ token }) => token), channel };
  };

  test("send and receive in their room, and are left as they are", async () => {
    const existing = addUsers(20);
    expect(await receivedByExisting(target(), existing)).toEqual({ ...ALL_RECEIVED, stored: 4 });
    expect(server().rooms.size).toBe(1);
    expect(server().active()).toBe(21);
    expect(server().calls.filter((call) => call.includes("/_synapse/"))).toEqual([]);
  });

  test("a room that the sender is not in", async () => {
    const existing = { ...addUsers(5), channel: "!other:fake" };
    await expect(measure({ users: 5, messages: 1 }, { ...target(), existing })).rejects.toThrow(
      "HTTP_403: User @user-0:fake not in room !other:fake",
    );
  });

  test("the rate limit of messages is an error with advice", async () => {
    const existing = addUsers(1);
    const plan = { users: 1, probes: 0, messages: 14, timeoutMs: 5000 };
    const { counts, errors } = await measure(plan, { ...target(), existing });
    expect(counts).toMatchObject({ sent: 15, acknowledged: 10, received: 10, lost: 0 });
    const code = "HTTP_429: Too Many Requests. Raise rc_message in the homeserver's configuration for a test";
    expect(errors).toEqual([{ phase: "send", code, count: 5 }]);
  });
});
