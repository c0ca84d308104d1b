import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  claims,
  connect,
  isHealthy,
  jwt,
  newId,
  open,
  refused,
  startGateway,
  type Gateway,
} from "./support.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

describe("authentication", () => {
  test("a valid token leads to ready", async () => {
    const me = gateway.signIn();
    const client = await connect(gateway, me.accessToken);
    expect(await client.event("ready")).toMatchObject({
      userId: me.userId,
      sessionId: me.sessionId,
      protocolVersion: 1,
    });
    client.socket.close();
  });

  test.each<[string, () => unknown, string]>([
    ["none", () => undefined, "UNAUTHENTICATED"],
    ["nonsense", () => "nonsense", "UNAUTHENTICATED"],
    ["not a string", () => ({ $gt: "" }), "UNAUTHENTICATED"],
    ["signed with another secret", () => jwt(claims(60), { secret: "x".repeat(40) }), "UNAUTHENTICATED"],
    ["not signed", () => jwt(claims(60), { alg: "none" }), "UNAUTHENTICATED"],
    ["of another issuer", () => jwt({ ...claims(60), iss: "somebody" }), "UNAUTHENTICATED"],
    ["without an expiry", () => jwt({ ...claims(60), exp: undefined }), "UNAUTHENTICATED"],
    ["expired", () => jwt(claims(-5)), "TOKEN_EXPIRED"],
  ])("rejects a token %s", async (_, token, code) => {
    const client = open(gateway, token());
    const error = await refused(client);
    expect(error.message).toBe(code);
    expect(error.data).toMatchObject({ type: code, retryable: false, requestId: expect.any(String) });
    const http = await gateway.post("user.me", "{}", { authorization: `Bearer ${String(token())}` });
    expect([http.status, http.answer]).toMatchObject([401, { error: { type: code } }]);
    expect(http.headers.get("www-authenticate")).toBe("Bearer");
    client.socket.close();
    expect(await isHealthy(gateway)).toBe(true);
  });

  test("a token signed by the test is accepted, so the ones above are rejected for the right reason", async () => {
    const client = await connect(gateway, jwt(claims(60)));
    expect(client.socket.connected).toBe(true);
    client.socket.close();
  });
});

describe("rooms", () => {
  test("a socket receives its user's events before its other rooms are known", async () => {
    const { promise: rooms, resolve } = Promise.withResolvers<string[]>();
    const listRooms = gateway.stubs.listRooms;
    const me = gateway.signIn();
    const asked = new Promise<void>((resolveAsked) => {
      gateway.stubs.listRooms = () => {
        resolveAsked();
        return rooms;
      };
    });
    const client = open(gateway, me.accessToken);
    await asked;
    gateway.node.publish(`user:${me.userId}`, "resync", {});
    gateway.node.fanout.socketsLeave(`user:${me.userId}`, ["group:left"]);
    resolve(["group:left", "group:kept"]);
    await client.event("ready");
    gateway.node.publish("group:left", "group.deleted", { groupId: newId() });
    gateway.node.publish("group:kept", "resync", {});
    await new Promise((seen) => client.socket.once("resync", seen));
    expect(client.received.map(([event]) => event)).toEqual(["resync", "ready", "resync"]);
    gateway.stubs.listRooms = listRooms;
    client.socket.close();
  });

  test("when the rooms can't be listed, the connection is closed so that the client reconnects", async () => {
    const listRooms = gateway.stubs.listRooms;
    gateway.stubs.listRooms = () => Promise.reject(new Error("no database"));
    const client = open(gateway, gateway.signIn().accessToken);
    expect(await client.closed).toBe("transport close");
    expect(client.received).toEqual([]);
    gateway.stubs.listRooms = listRooms;
    expect(await gateway.metric('fanfare_refused_total{reason="no_rooms"}')).toBe(1);
    expect(await isHealthy(gateway)).toBe(true);
  });
});

describe("limits on connections", () => {
  test("rejects too many connections from one address until one closes", async () => {
    const small = await startGateway({ MAX_CONNECTIONS_PER_ADDRESS: "2" });
    const first = await connect(small);
    const second = await connect(small);
    const third = open(small, small.signIn().accessToken);
    expect((await refused(third)).data).toMatchObject({
      type: "OVERLOADED",
      retryable: true,
      data: { retryAfterMs: expect.any(Number) },
    });
    first.socket.close();
    expect(await small.metric('fanfare_refused_total{reason="too_many_connections"}')).toBe(1);
    let again;
    for (again = open(small, small.signIn().accessToken); ; again = open(small, small.signIn().accessToken)) {
      if (await Promise.race([again.event("ready").then(() => true), refused(again).then(() => false)]))
        break;
    }
    again.socket.close();
    second.socket.close();
    await small.stop();
  });

  test("rejects too many connections in total", async () => {
    const small = await startGateway({ MAX_CONNECTIONS: "1" });
    const first = await connect(small);
    expect((await refused(open(small, small.signIn().accessToken))).data).toMatchObject({
      type: "OVERLOADED",
    });
    first.socket.close();
    await small.stop();
  });

  test("counts sockets by the forwarded address, but only behind a proxy", async () => {
    for (const [trust, forwarded, expected] of [
      ["true", "203.0.113.9", "ready"],
      ["true", "127.0.0.1", "OVERLOADED"],
      ["false", "203.0.113.9", "OVERLOADED"],
    ] as const) {
      const small = await startGateway({ MAX_CONNECTIONS_PER_ADDRESS: "1", TRUST_PROXY: trust });
      const first = await connect(small);
      const token = small.signIn().accessToken;
      const other = open(small, token);
      other.socket.disconnect();
      other.socket.io.opts.extraHeaders = { "x-forwarded-for": forwarded };
      other.socket.connect();
      const outcome = await Promise.race([
        other.event("ready").then(() => "ready"),
        refused(other).then(({ message }) => message),
      ]);
      expect(outcome).toBe(expected);
      other.socket.close();
      first.socket.close();
      await small.stop();
    }
  });

  test("a user who reconnects constantly has to wait", async () => {
    const strict = await startGateway({ RATE_LIMIT_FACTOR: "0.1" });
    const { accessToken } = strict.signIn();
    const outcomes = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      const client = open(strict, accessToken);
      outcomes.push(
        await Promise.race([
          client.event("ready").then(() => "ready"),
          refused(client).then(({ message }) => message),
        ]),
      );
      client.socket.close();
    }
    expect(outcomes).toEqual(["ready", "ready", "ready", "RATE_LIMITED"]);
    await strict.stop();
  });
});
