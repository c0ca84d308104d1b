import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { tailchat } from "../src/targets/tailchat.ts";
import { ALL_RECEIVED, receivedByExisting, membersOf } from "./each-with.ts";
import { startFakeTailchat, type FakeTailchat } from "./fake-tailchat.ts";
import { CLIENTS, measure, tagged } from "./measure.ts";

let server: FakeTailchat;
beforeEach(async () => {
  server = await startFakeTailchat();
});
afterEach(() => server.close());

for (const client of CLIENTS)
  describe(`a Tailchat server, with ${client.kind} and ${client.probes} probes`, tagged(client), () => {
    test("guests join a group and get its messages", async () => {
      const plan = { ...client, burst: [60] };
      const result = await measure(plan, { name: "tailchat", url: server.url });
      expect(result.target).toMatchObject({ name: "tailchat", isThrowaway: false });
      expect(result.registration?.users).toBe(40);
      // 64 of ours among those that say who joined: two pages.
      expect(server.stored).toHaveLength(104);
      expect(result.counts).toMatchObject({
        sent: 64,
        acknowledged: 64,
        stored: 64,
        received: 2560,
        lost: 0,
        duplicates: 0,
        outOfOrder: 0,
        foreign: 0,
        dropped: 0,
      });
      expect(result.errors).toEqual([]);
      expect(server.groups.size).toBe(0);
    });
  });

test("makes these calls in this order", async () => {
  await measure({ users: 1, probes: 0, messages: 1 }, { name: "tailchat", url: server.url });
  expect(server.calls).toEqual([
    { by: undefined, action: "user.createTemporaryUser", params: ["nickname"] },
    { by: "user-1", action: "group.createGroup", params: ["name", "panels"] },
    { by: "user-1", action: "group.invite.createGroupInvite", params: ["groupId", "inviteType"] },
    { by: undefined, action: "user.createTemporaryUser", params: ["nickname"] },
    { by: "user-2", action: "group.invite.applyInvite", params: ["code"] },
    { by: "user-2", action: "chat.converse.findAndJoinRoom", params: [] },
    { by: "user-1", action: "chat.converse.findAndJoinRoom", params: [] },
    { by: "user-1", action: "chat.message.sendMessage", params: ["groupId", "converseId", "content"] },
    { by: "user-1", action: "chat.message.sendMessage", params: ["groupId", "converseId", "content"] },
    { by: "user-1", action: "chat.message.fetchConverseMessage", params: ["converseId"] },
    { by: "user-1", action: "chat.message.fetchConverseMessage", params: ["converseId", "startId"] },
    { by: "user-1", action: "group.quitGroup", params: ["groupId"] },
  ]);
});

for (const client of CLIENTS)
  test(
    `a guest who is denied their rooms is not online: ${client.kind}, ${client.probes} probes`,
    tagged(client),
    async () => {
      server.refused.add(7);
      await expect(measure(client, { name: "tailchat", url: server.url })).rejects.toThrow(
        /1 of 40 connections .* failed: Service unavailable \(3\)/,
      );
    },
  );

test("a message stored with another text is not stored", async () => {
  server.storedAs = (content) => content.replace(/.$/, "-");
  const { counts } = await measure({ messages: 2 }, { name: "tailchat", url: server.url });
  expect(counts).toMatchObject({ acknowledged: 3, stored: 0, received: 120 });
});

test("a rejected message is an error with its name, and not counted as lost", async () => {
  server.muteWith = "You have been muted";
  const { counts, errors } = await measure({ messages: 2 }, { name: "tailchat", url: server.url });
  expect(counts).toMatchObject({ sent: 3, acknowledged: 0, expected: 0, received: 0, lost: 0 });
  expect(errors).toEqual([{ phase: "send", code: "You have been muted", count: 3 }]);
});

test("users of --tokens", async () => {
  const memberTokens = await membersOf(tailchat, server.url);
  const channel = `${[...server.groups][0]}/64a0c0ffee0000000000000b`;
  const existing = { senderToken: "token of user-1", memberTokens, channel };
  expect(await receivedByExisting({ name: "tailchat", url: server.url }, existing)).toEqual({
    ...ALL_RECEIVED,
    stored: 4,
  });
  expect(server.groups.size).toBe(1);
});

test.each([
  [undefined, "--target tailchat measures a running server: set its --url."],
  ["http://127.0.0.1:1023", "tailchat: user/createTemporaryUser: ECONNREFUSED"],
])("at %s: says what to do", async (url, message) => {
  await expect(measure({}, { name: "tailchat", ...(url && { url }) })).rejects.toThrow(message);
});
