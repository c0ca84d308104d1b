import type { EventPayload } from "@fanfare/contract";
import { createWorld, must, post } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { io, type Socket } from "socket.io-client";
import { afterAll, beforeAll, expect, test } from "vitest";

// A user is banned while sending, reading, joining and connecting: none of it may succeed after the ban is
// answered.

const ROUNDS = 15;

let instance: Instance;
const sockets: Socket[] = [];
beforeAll(async () => {
  instance = await startInstance();
});
afterAll(async () => {
  for (const socket of sockets) socket.disconnect();
  await instance?.stop();
});

interface Listener {
  socket: Socket;
  /** The contents of all messages received. */
  received: string[];
}

function listen(token: string): Listener {
  const socket = io(instance.url, {
    transports: ["websocket"],
    auth: { token },
    reconnection: false,
    forceNew: true,
  });
  sockets.push(socket);
  const received: string[] = [];
  socket.on("message.created", ({ messages }: EventPayload<"message.created">) => {
    received.push(...messages.map(({ content }) => content));
  });
  return { socket, received };
}

const isReady = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once("ready", () => resolve()));

for (let round = 0; round < ROUNDS; round += 1)
  test(
    `a ban takes effect everywhere once the call returns (round ${round})`,
    { tags: round % 5 === 0 ? [] : "long" },
    async () => {
      const { url } = instance;
      const { owner, target, group, channel, inviteCode } = await createWorld(url);
      const [groupId, channelId] = [group.id, channel.id];
      const ofOwner = listen(owner.accessToken);
      const ofTarget = listen(target.accessToken);
      await Promise.all([isReady(ofOwner.socket), isReady(ofTarget.socket)]);

      const send = (nonce: string) =>
        post(url, "message.send", { channelId, content: nonce, nonce }, target.accessToken);
      const busy = Array.from({ length: 10 }, (_, i) => [
        send(`before ${i}`),
        post(url, "invite.accept", { code: inviteCode }, target.accessToken),
        post(url, "channel.list", { groupId }, target.accessToken),
      ]).flat();
      const late = listen(target.accessToken);
      const lateIsReady = isReady(late.socket);
      await new Promise((resolve) => setTimeout(resolve, round));
      await must(url, "group.ban", { groupId, userId: target.userId }, owner.accessToken);

      const params = { cursors: [{ channelId, afterRev: 0 }] };
      const [sent, listed, joined, synced] = await Promise.all([
        send("after"),
        post(url, "message.list", { channelId }, target.accessToken),
        post(url, "invite.accept", { code: inviteCode }, target.accessToken),
        must(url, "channel.sync", params, target.accessToken),
      ]);
      expect(sent).toMatchObject({ error: { type: "CHANNEL_NOT_FOUND" } });
      expect(listed).toMatchObject({ error: { type: "CHANNEL_NOT_FOUND" } });
      expect(joined).toMatchObject({ error: { type: "BANNED" } });
      expect(synced.channels).toMatchObject([{ status: "gone", messages: [] }]);

      await Promise.all([...busy, lateIsReady]);
      expect(await must(url, "group.listMine", {}, target.accessToken)).toEqual({ groups: [] });
      const secret = { channelId, content: "for members", nonce: "secret" };
      await must(url, "message.send", secret, owner.accessToken);
      // Each socket answer comes after the events that were published before it.
      for (const { socket } of [ofOwner, ofTarget, late]) await socket.emitWithAck("user.me", {});
      expect(ofOwner.received).toContain("for members");
      expect([...ofTarget.received, ...late.received]).not.toContain("for members");
      expect(ofOwner.received).not.toContain("after");
    },
  );
