import { LIMITS } from "@fanfare/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAX_CALLS_IN_FLIGHT_PER_SOCKET } from "../src/constants.ts";
import { CHANNEL_ID, connect, isHealthy, startGateway, type Client, type Gateway } from "./support.ts";

let gateway: Gateway;
let client: Client;
beforeAll(async () => {
  gateway = await startGateway();
  client = await connect(gateway);
});
afterAll(async () => {
  client.socket.close();
  await gateway.stop();
});

const message = { channelId: CHANNEL_ID, content: "Hello", nonce: "1" };

test("an action returns the same as by HTTP", async () => {
  expect(await client.call("message.send", message)).toMatchObject({ ok: true, data: { message } });
});

test("parameters can be omitted when there are none", async () => {
  expect(await client.call("user.me")).toMatchObject({ ok: true });
});

describe("invalid input is answered, and the socket stays connected", () => {
  test.each<[string, unknown[], string]>([
    ["an unknown action", ["nothing.there", {}], "UNKNOWN_ACTION"],
    ["an internal action", ["group.listRooms", { userIds: [CHANNEL_ID] }], "UNKNOWN_ACTION"],
    ["an action only for HTTP", ["user.createGuest", {}], "UNKNOWN_ACTION"],
    ["Moleculer's own actions", ["$node.list", {}], "UNKNOWN_ACTION"],
    ["__proto__", ["__proto__", {}], "UNKNOWN_ACTION"],
    ["constructor", ["constructor", {}], "UNKNOWN_ACTION"],
    ["the name of an error event", ["error", {}], "UNKNOWN_ACTION"],
    ["a number for a name", [7, {}], "UNKNOWN_ACTION"],
    ["a number for parameters", ["message.send", 7], "VALIDATION_FAILED"],
    ["null for parameters", ["message.send", null], "VALIDATION_FAILED"],
    ["a list for parameters", ["message.send", [message]], "VALIDATION_FAILED"],
    ["a wrong type", ["message.send", { ...message, content: {} }], "VALIDATION_FAILED"],
    ["binary", ["message.send", { ...message, content: Buffer.from("x") }], "VALIDATION_FAILED"],
    ["a missing parameter", ["message.send", { content: "Hello" }], "VALIDATION_FAILED"],
    [
      "a text that is too long",
      ["message.send", { ...message, content: "x".repeat(LIMITS.messageMaxChars + 1) }],
      "VALIDATION_FAILED",
    ],
    ["more than one argument", ["message.send", message, message], "MALFORMED_REQUEST"],
  ])("%s", async (_, event, code) => {
    expect(await client.call(...event)).toMatchObject({
      ok: false,
      error: { type: code, requestId: expect.any(String) },
    });
    expect(client.socket.connected).toBe(true);
  });

  test("a call without an acknowledgement is rejected and counted", async () => {
    const before = await gateway.metric('fanfare_refused_total{reason="no_ack"}');
    client.socket.emit("message.send", message);
    client.socket.emit("error");
    expect(await client.call("user.me")).toMatchObject({ ok: true });
    expect(await gateway.metric('fanfare_refused_total{reason="no_ack"}')).toBe(before + 2);
  });
});

test("a payload above the limit closes only that socket", async () => {
  const other = await connect(gateway);
  other.socket.emit("message.send", { ...message, content: "x".repeat(LIMITS.socketPayloadMaxBytes) });
  expect(await other.closed).toBe("transport close");
  expect(await isHealthy(gateway)).toBe(true);
  expect(client.socket.connected).toBe(true);
});

test("limits the calls in progress per socket", async () => {
  const { me } = gateway.stubs;
  const { promise: released, resolve: release } = Promise.withResolvers<object>();
  gateway.stubs.me = () => released;
  const calls = Array.from({ length: MAX_CALLS_IN_FLIGHT_PER_SOCKET + 1 }, () => client.call("user.me"));
  expect(await calls.at(-1)).toMatchObject({ ok: false, error: { type: "OVERLOADED", retryable: true } });
  release({ user: {} });
  const answers = await Promise.all(calls);
  expect(answers.filter(({ ok }) => ok)).toHaveLength(MAX_CALLS_IN_FLIGHT_PER_SOCKET);
  gateway.stubs.me = me;
});

test("a rate limit returns when to retry", async () => {
  const strict = await startGateway({ RATE_LIMIT_FACTOR: "0.02" });
  const one = await connect(strict);
  const answers = await Promise.all([1, 2, 3].map(() => one.call("user.me")));
  expect(answers).toMatchObject([
    { ok: true },
    { ok: true },
    {
      ok: false,
      error: { type: "RATE_LIMITED", retryable: true, data: { retryAfterMs: expect.any(Number) } },
    },
  ]);
  one.socket.close();
  await strict.stop();
});

test("disconnects a socket that floods", async () => {
  const strict = await startGateway({ RATE_LIMIT_FACTOR: "1" });
  const flooder = await connect(strict);
  for (let packet = 0; packet < 2000; packet++) flooder.socket.emit("x");
  expect(await flooder.closed).toBe("transport close");
  expect(await strict.metric('fanfare_refused_total{reason="flood"}')).toBe(1);
  expect(await isHealthy(strict)).toBe(true);
  await strict.stop();
});

test("counts calls and rejections in metrics", async () => {
  expect(await gateway.metric("fanfare_connections")).toBeGreaterThan(0);
  const sends = 'action="message.send",transport="socket",outcome=';
  expect(await gateway.metric(`fanfare_requests_total{${sends}"ok"}`)).toBe(1);
  expect(await gateway.metric(`fanfare_requests_total{${sends}"VALIDATION_FAILED"}`)).toBeGreaterThan(0);
  expect(await gateway.metric('fanfare_request_seconds_count{action="message.send"}')).toBe(1);
});
