import { createAccount, createWorld, must, post } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { io, type Socket } from "socket.io-client";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

let instance: Instance;
const sockets: Socket[] = [];
beforeAll(async () => {
  instance = await startInstance({ GATEWAY_THREADS: "2" });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.disconnect();
});
afterAll(() => instance?.stop());

async function connect(accessToken: string): Promise<Socket> {
  const socket = io(instance.url, {
    transports: ["websocket"],
    auth: { token: accessToken },
    forceNew: true,
    reconnection: false,
  });
  sockets.push(socket);
  await new Promise((resolve) => socket.once("ready", resolve));
  return socket;
}

let nonces = 0;
const message = (channelId: string) => ({ channelId, content: "x", nonce: String((nonces += 1)) });

test("a block stops direct messages both ways at once and nothing else, and unblocking allows them again", async () => {
  const { member, target, channel: shared } = await createWorld(instance.url);
  const { channel } = await must(
    instance.url,
    "channel.openDirect",
    { userId: target.userId },
    member.accessToken,
  );
  const send = (token: string, channelId = channel.id) =>
    post(instance.url, "message.send", message(channelId), token);
  // So that the permission is cached.
  for (const { accessToken } of [member, target]) expect(await send(accessToken)).toMatchObject({ ok: true });
  const { message: sent } = await must(instance.url, "message.send", message(channel.id), member.accessToken);
  const pin = (token: string) =>
    post(instance.url, "message.pin", { channelId: channel.id, messageId: sent.id }, token);

  await must(instance.url, "user.block", { userId: member.userId }, target.accessToken);
  for (const { accessToken } of [member, target])
    for (const refused of [await send(accessToken), await pin(accessToken)])
      expect(refused).toMatchObject({ ok: false, error: { type: "FORBIDDEN" } });
  const list = { channelId: channel.id };
  expect(await post(instance.url, "message.list", list, member.accessToken)).toMatchObject({ ok: true });
  expect(await send(member.accessToken, shared.id)).toMatchObject({ ok: true });

  await must(instance.url, "user.unblock", { userId: member.userId }, target.accessToken);
  for (const { accessToken } of [member, target]) expect(await send(accessToken)).toMatchObject({ ok: true });
});

test("a blocked user can't open a direct channel or send a friend request", async () => {
  const [shy, other] = [await createAccount(instance.url), await createAccount(instance.url)];
  await must(instance.url, "user.block", { userId: other.userId }, shy.accessToken);
  const refused = { ok: false, error: { type: "NOT_REACHABLE" } };
  const to = { userId: shy.userId };
  expect(await post(instance.url, "channel.openDirect", to, other.accessToken)).toMatchObject(refused);
  expect(await post(instance.url, "friend.request", to, other.accessToken)).toMatchObject(refused);
});

test("ending a session from another one closes its sockets at once, and no others", async () => {
  const first = await createAccount(instance.url);
  const login = { username: first.username, password: "correct horse" };
  const second = await must(instance.url, "user.login", login);
  const opened = await Promise.all(Array.from({ length: 6 }, () => connect(second.accessToken)));
  const own = await connect(first.accessToken);
  const closed = opened.map((socket) => new Promise((resolve) => socket.once("disconnect", resolve)));
  const { sessionId } = second;
  await must(instance.url, "user.revokeSession", { sessionId }, first.accessToken);
  await Promise.all(closed);
  expect(await own.emitWithAck("user.me", {})).toMatchObject({ ok: true });
  const { sessions } = await must(instance.url, "user.listSessions", {}, first.accessToken);
  expect(sessions).toMatchObject([{ current: true, address: expect.stringContaining("127.0.0.1") }]);
});

test("a deleted user leaves their groups, and their messages stay", async () => {
  const { member, target, group, channel, message: written } = await createWorld(instance.url);
  const own = await connect(target.accessToken);
  const closed = new Promise((resolve) => own.once("disconnect", resolve));
  const seen = await connect(member.accessToken);
  const left = new Promise((resolve) => seen.once("member.left", resolve));
  await must(instance.url, "user.deleteMe", {}, target.accessToken);
  await closed;
  expect(await left).toMatchObject({ groupId: group.id, userIds: [target.userId] });
  const { messages } = await must(
    instance.url,
    "message.list",
    { channelId: channel.id },
    member.accessToken,
  );
  expect(messages).toMatchObject([{ id: written.id, authorId: target.userId, content: written.content }]);
  const { user } = await must(instance.url, "user.get", { userId: target.userId }, member.accessToken);
  expect(user).toMatchObject({ deleted: true, nickname: "Deleted user" });
  const to = { userId: target.userId };
  expect(await post(instance.url, "channel.openDirect", to, member.accessToken)).toMatchObject({ ok: false });
});
