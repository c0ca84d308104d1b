import { LIMITS, presenceRoom } from "@fanfare/contract";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connect, GROUP_ROOM, newId, startGateway, until, type Client, type Gateway } from "./support.ts";

let gateway: Gateway;
let client: Client;
let userId: string;

beforeEach(async () => {
  gateway = await startGateway();
  const actor = gateway.signIn();
  userId = actor.userId;
  client = await connect(gateway, actor.accessToken);
});
afterEach(() => gateway.stop());

const received = (): unknown[] =>
  client.received.filter(([name]) => name === "presence.changed").map(([, payload]) => payload);
const publish = (ofUserId: string): void =>
  gateway.node.publish(presenceRoom(ofUserId), "presence.changed", {
    presences: [{ userId: ofUserId, status: "online" }],
  });
const watch = (userIds: string[]) => client.call("presence.watch", { userIds });
const unwatch = (userIds: string[]) => client.call("presence.unwatch", { userIds });

/** Waits until everything published before has arrived. */
async function settle(): Promise<void> {
  const before = client.received.length;
  gateway.node.publish(GROUP_ROOM, "group.deleted", { groupId: newId() });
  await until(() => client.received.slice(before).some(([name]) => name === "group.deleted"));
}

test("a socket receives the presence of the returned users until it unsubscribes", async () => {
  const [ann, bob] = [newId(), newId()];
  expect(await watch([ann])).toMatchObject({ ok: true });
  publish(ann);
  publish(bob);
  await settle();
  expect(received()).toEqual([{ presences: [{ userId: ann, status: "online" }] }]);
  expect(await unwatch([ann])).toMatchObject({ ok: true });
  publish(ann);
  await settle();
  expect(received()).toHaveLength(1);
});

test("a call by HTTP returns the presence but joins no room", async () => {
  const { accessToken } = gateway.signIn();
  const body = JSON.stringify({ userIds: [newId()] });
  const { answer } = await gateway.post("presence.watch", body, { authorization: `Bearer ${accessToken}` });
  expect(answer).toMatchObject({ ok: true });
});

test("limits the watched users, counting each once", async () => {
  const all = Array.from({ length: LIMITS.watchedUsersPerSocket }, newId);
  for (let from = 0; from < all.length; from += LIMITS.usersPerLookup) {
    expect(await watch(all.slice(from, from + LIMITS.usersPerLookup))).toMatchObject({ ok: true });
  }
  expect(await watch(all.slice(0, 10))).toMatchObject({ ok: true });
  expect(await watch([newId()])).toMatchObject({
    ok: false,
    error: {
      type: "LIMIT_REACHED",
      data: { limit: "watchedUsersPerSocket", max: LIMITS.watchedUsersPerSocket },
    },
  });
  expect(await unwatch(all.slice(0, 1))).toMatchObject({ ok: true });
  expect(await watch([newId()])).toMatchObject({ ok: true });
});

test("unsubscribing only leaves subscribed rooms", async () => {
  await unwatch([newId(), userId]);
  await settle();
  expect(client.received.some(([name]) => name === "group.deleted")).toBe(true);
});

test("a call that took so long that events may have been missed fails and can be retried", async () => {
  const ann = newId();
  gateway.stubs.beforeWatchAnswers = () => delay(1000);
  expect(await watch([ann])).toMatchObject({
    ok: false,
    error: { type: "UNAVAILABLE", retryable: true },
  });
  // The worker may have been suspended, and the user removed from their common group meanwhile.
  publish(ann);
  await settle();
  expect(received()).toEqual([]);
});

test("reports a user once for any number of sockets, and a while after the last one closed", async () => {
  const reported = (list: "connected" | "disconnected", ofUserId = userId) =>
    gateway.stubs.reports.flatMap((report) => report[list]).filter((id) => id === ofUserId);
  await until(() => reported("connected").length === 1);
  const second = await connect(gateway, gateway.signIn(userId).accessToken);
  client.socket.close();
  second.socket.close();
  await until(() => reported("disconnected").length > 0);
  // Reports are in order, so another one would arrive before this one.
  const other = gateway.signIn();
  await connect(gateway, other.accessToken);
  await until(() => reported("connected", other.userId).length === 1);
  expect(reported("disconnected")).toHaveLength(1);
  expect(reported("connected")).toHaveLength(1);
  const numbers = gateway.stubs.reports.map(({ number }) => number);
  expect(numbers).toEqual(numbers.map((_number, index) => index + 1));
});
