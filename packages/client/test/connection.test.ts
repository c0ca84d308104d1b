import { freePort } from "@fanfare/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ConnectionState, FanfareClient } from "../src/index.ts";
import { CHANNEL_ID, FakeServer, until } from "./fake-server.ts";

/** Nothing listens here. The port of a closed server could be reused by another test. */
const UNUSED_URL = "http://127.0.0.1:2";

let server: FakeServer;
let client: FanfareClient;
let states: ConnectionState[];

beforeEach(async () => {
  server = new FakeServer(await freePort());
  await server.listen();
  client = new FanfareClient({ url: server.url });
  states = [];
  client.on("connection.changed", ({ state }) => states.push(state));
});

afterEach(async () => {
  client.close();
  await server.close();
});

test("calls use HTTP until the socket is ready, then the socket", async () => {
  await client.createGuest({ nickname: "Ada" });
  await client.call("user.me", {});
  await client.connect();
  await client.call("user.me", {});
  expect(server.callsOf("user.me").map(({ by }) => by)).toEqual(["http", "socket"]);
  expect(states).toEqual(["connecting", "online"]);
});

test("a call that is made early is not made again, unless an event arrives", async () => {
  await client.createGuest();
  await client.connect();
  client.callEarly("message.list", { channelId: CHANNEL_ID, limit: 50 });
  const early = await client.call("message.list", { limit: 50, channelId: CHANNEL_ID });
  expect(server.callsOf("message.list")).toHaveLength(1);
  expect(await client.call("message.list", { channelId: CHANNEL_ID, limit: 50 })).toEqual(early);
  expect(server.callsOf("message.list")).toHaveLength(2);

  client.callEarly("message.list", { channelId: CHANNEL_ID, limit: 50 });
  await until(() => server.callsOf("message.list").length === 3);
  const heard = new Promise((resolve) => client.on("message.created", resolve));
  const posted = server.post("Hello");
  await heard;
  const { messages } = await client.call("message.list", { channelId: CHANNEL_ID, limit: 50 });
  expect(messages.map(({ id }) => id)).toContain(posted.id);
});

test("a call without a login fails with an instructive error", async () => {
  await expect(client.call("user.me", {})).rejects.toMatchObject({ type: "UNAUTHENTICATED" });
  await expect(client.connect()).rejects.toMatchObject({ type: "UNAUTHENTICATED" });
});

test("an expired token is refreshed once for concurrent calls", async () => {
  await client.createGuest();
  server.expireTokens();
  await Promise.all(Array.from({ length: 5 }, () => client.call("user.me", {})));
  expect(server.callsOf("user.refresh")).toHaveLength(1);
  expect(server.callsOf("user.me")).toHaveLength(5);
});

test("a token that is about to expire is refreshed before the call, but a wrong clock does not refresh every time", async () => {
  server.accessTokenLifetimeMs = 1000;
  await client.createGuest();
  await client.call("user.me", {});
  await client.call("user.me", {});
  expect(server.callsOf("user.refresh")).toHaveLength(1);
  expect(server.callsOf("user.me").map(({ token }) => token)).toEqual(["access2", "access2"]);
});

test("connecting with an expired token refreshes it", async () => {
  await client.createGuest();
  server.expireTokens();
  await client.connect();
  expect(server.callsOf("user.refresh")).toHaveLength(1);
});

test("a session that can't be refreshed is closed, and its tokens are cleared", async () => {
  const tokens: unknown[] = [];
  await client.createGuest();
  client.on("tokens.changed", (changed) => tokens.push(changed));
  server.expireTokens();
  server.refuses = ({ name }) => (name === "user.refresh" ? { type: "SESSION_REVOKED" } : undefined);
  await expect(client.connect()).rejects.toMatchObject({ type: "SESSION_REVOKED" });
  expect(client).toMatchObject({ state: "closed", user: null });
  expect(tokens).toEqual([null]);
  await expect(client.call("user.me", {})).rejects.toMatchObject({ type: "SESSION_REVOKED" });
});

test("reconnects after connection loss", async () => {
  await client.createGuest();
  await client.connect();
  server.cut();
  await until(() => states.filter((state) => state === "online").length === 2);
  expect(states).toEqual(["connecting", "online", "reconnecting", "online"]);
});

test("the first connection waits for a late server, up to the timeout", async () => {
  await client.createGuest();
  await server.close();
  await expect(client.connect({ timeoutMs: 300 })).rejects.toMatchObject({ type: "CONNECTION_LOST" });
  expect(client.state).toBe("offline");
  const connected = client.connect({ timeoutMs: 0 });
  const { url } = server;
  const { port } = new URL(url);
  server = new FakeServer(Number(port));
  await server.listen();
  await connected;
  expect(client.state).toBe("online");
});

test("the end of this session closes the client; the end of another one does not", async () => {
  await client.createGuest();
  await client.connect();
  const received: unknown[] = [];
  client.on("session.revoked", (event) => received.push(event));
  server.emit("session.revoked", { sessionIds: ["6".repeat(24)] });
  await until(() => received.length === 1);
  expect(client.state).toBe("online");
  server.emit("session.revoked", { sessionIds: null });
  await until(() => client.state === "closed");
  await until(() => server.sockets === 0);
  expect(client.user).toBeNull();
});

test("reconnects when the server drains", async () => {
  await client.createGuest();
  await client.connect();
  server.emit("server.draining", { reconnectWithinMs: 200 });
  await until(() => states.length === 4);
  expect(states).toEqual(["connecting", "online", "reconnecting", "online"]);
  expect(server.sockets).toBe(1);
});

test("leaves a draining server after pending calls are answered", async () => {
  await client.createGuest();
  await client.connect();
  server.answersAfterMs = 300;
  server.emit("server.draining", { reconnectWithinMs: 100 });
  const calls = await Promise.all(Array.from({ length: 5 }, () => client.call("user.me", {})));
  expect(calls).toHaveLength(5);
  await until(() => states.length === 4);
  expect(server.callsOf("user.me")).toHaveLength(5);
});

test("uses the next address if a server does not respond, disconnects or drains", async () => {
  const other = new FakeServer();
  await other.listen();
  client.close();
  client = new FanfareClient({ url: [server.url, other.url] });
  await client.createGuest();
  await client.connect();
  expect(client.url).toBe(server.url);
  server.emit("server.draining", { reconnectWithinMs: 10 });
  await until(() => other.sockets === 1 && client.state === "online");
  expect([client.url, server.sockets]).toEqual([other.url, 0]);
  await other.close();
  await until(() => server.sockets === 1 && client.state === "online");
  const late = new FanfareClient({ url: [UNUSED_URL, server.url] });
  await expect(late.createGuest()).rejects.toMatchObject({ type: "CONNECTION_LOST" });
  await expect(late.createGuest()).resolves.toBeDefined();
  expect(() => new FanfareClient({ url: [] })).toThrow("at least one");
});

test("close ends pending calls, the socket and later calls", async () => {
  await client.createGuest();
  await client.connect();
  server.cutsAfter = ({ name }) => name === "user.me";
  const waiting = client.call("user.me", {});
  client.close();
  await expect(waiting).rejects.toMatchObject({ type: "CLOSED" });
  await expect(client.call("user.me", {})).rejects.toMatchObject({ type: "CLOSED" });
  await until(() => server.sockets === 0);
});

test("an exception in a listener does not affect the others", async () => {
  const uncaught: unknown[] = [];
  const onUncaught = (error: unknown) => uncaught.push(error);
  const others = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException").on("uncaughtException", onUncaught);
  await client.createGuest();
  await client.connect();
  const received: unknown[] = [];
  client.on("resync", () => {
    throw new Error("of the listener");
  });
  client.on("resync", (event) => received.push(event));
  server.emit("resync", {});
  await until(() => uncaught.length === 1);
  process.removeListener("uncaughtException", onUncaught);
  for (const other of others) process.on("uncaughtException", other);
  expect(received).toEqual([{}]);
});

test("a response that is not from Fanfare gives a clear error", async () => {
  const otherClient = new FanfareClient({ url: `${server.url}/` });
  server.answersRubbish = true;
  await expect(otherClient.createGuest()).rejects.toMatchObject({ type: "UNEXPECTED_ANSWER" });
});

test("stops at a server with another protocol version, and keeps the tokens", async () => {
  await client.createGuest();
  server.protocolVersion = 2;
  await expect(client.connect()).rejects.toMatchObject({ type: "PROTOCOL_MISMATCH" });
  expect(client.state).toBe("closed");
  expect(client.tokens).not.toBeNull();
});
