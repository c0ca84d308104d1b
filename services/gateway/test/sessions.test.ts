import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, GROUP_ROOM, newId, open, refused, startGateway, until, type Gateway } from "./support.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

test("ending a session closes its sockets immediately, and no others", async () => {
  const ended = gateway.signIn();
  const kept = gateway.signIn(ended.userId);
  const clients = await Promise.all(
    [ended, ended, kept].map(({ accessToken }) => connect(gateway, accessToken)),
  );
  const [first, second, other] = clients as [(typeof clients)[0], (typeof clients)[0], (typeof clients)[0]];
  gateway.node.broadcast("session.ended", { userId: ended.userId, sessionIds: [ended.sessionId] });
  expect(await Promise.all([first.closed, second.closed])).toEqual([
    "io server disconnect",
    "io server disconnect",
  ]);
  expect(first.received.at(-1)).toEqual(["session.revoked", { sessionIds: [ended.sessionId] }]);
  expect(await other.call("user.me")).toMatchObject({ ok: true });

  expect((await refused(open(gateway, ended.accessToken))).data).toMatchObject({ type: "SESSION_REVOKED" });
  const { status, answer } = await gateway.post("user.me", "{}", {
    authorization: `Bearer ${ended.accessToken}`,
  });
  expect([status, answer]).toMatchObject([401, { error: { type: "SESSION_REVOKED" } }]);
  other.socket.close();
});

test("a session that ends while its rooms are being listed isn't connected", async () => {
  const { listRooms } = gateway.stubs;
  const { promise: rooms, resolve } = Promise.withResolvers<string[]>();
  const me = gateway.signIn();
  const asked = new Promise<void>((resolveAsked) => {
    gateway.stubs.listRooms = () => {
      resolveAsked();
      return rooms;
    };
  });
  const client = open(gateway, me.accessToken);
  await asked;
  gateway.node.broadcast("session.ended", { userId: me.userId, sessionIds: [me.sessionId] });
  resolve([GROUP_ROOM]);
  expect(await client.closed).toBe("io server disconnect");
  expect(client.received.map(([event]) => event)).toEqual(["session.revoked"]);
  gateway.stubs.listRooms = listRooms;
});

test("sessions that ended before a restart are rejected after it", async () => {
  // Ended before the gateway starts, because it loads the list then.
  const sessionId = newId();
  const restarted = await startGateway({}, { revokedSessionIds: [sessionId] });
  const token = restarted.node.tokens.sign({ userId: newId(), sessionId, kind: "member" }).accessToken;
  expect((await refused(open(restarted, token))).data).toMatchObject({ type: "SESSION_REVOKED" });
  await restarted.stop();
});

test("detects a session that ended without a notification", { tags: "long" }, async () => {
  const [missed, kept] = [gateway.signIn(), gateway.signIn()];
  const [client, other] = [
    await connect(gateway, missed.accessToken),
    await connect(gateway, kept.accessToken),
  ];
  gateway.stubs.revokedSessionIds = [missed.sessionId];
  expect(await client.closed).toBe("io server disconnect");
  expect(client.received.at(-1)).toEqual(["session.revoked", { sessionIds: [missed.sessionId] }]);
  expect((await refused(open(gateway, missed.accessToken))).data).toMatchObject({
    type: "SESSION_REVOKED",
  });
  expect(await other.call("user.me")).toMatchObject({ ok: true });
  other.socket.close();
});

test("a socket that reads too slowly is disconnected and counted", async () => {
  const client = await connect(gateway);
  const raw = (client.socket.io.engine.transport as unknown as { ws: { pause(): void; resume(): void } }).ws;
  raw.pause();
  const slow = (): Promise<number> => gateway.metric("fanfare_slow_sockets_total");
  const name = "x".repeat(60_000);
  await until(async () => {
    for (let count = 0; count < 20; count++)
      gateway.node.publish(GROUP_ROOM, "group.updated", {
        group: {
          id: newId(),
          name,
          description: "",
          ownerId: newId(),
          memberCount: 1,
          retentionDays: null,
          iconUrl: null,
          defaultChannelId: null,
          systemChannelId: null,
          defaultPermissions: 0,
          listed: false,
          needsApproval: false,
          raidLimit: null,
          lockdownUntil: null,
          createdAt: "",
        },
      });
    return (await slow()) > 0;
  });
  raw.resume();
  await client.event("resync");
  expect(await gateway.metric("fanfare_fanout_deliveries_total")).toBeGreaterThan(0);
  expect(await gateway.metric("fanfare_fanout_seconds_count")).toBeGreaterThan(0);
  client.socket.close();
});
