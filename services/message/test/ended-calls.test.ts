import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message, Result } from "@fanfare/contract";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type MessageNode, startMessageNode } from "./message-node.ts";

let dir: string;
let node: MessageNode;
let channelId: string;
let callId: string;
let counted = 0;

const [ada, bob, eve, gone] = ["a", "b", "e", "9"].map((digit) => digit.repeat(24)) as [
  string,
  string,
  string,
  string,
];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-ended-calls-"));
  node = await startMessageNode({ DATA_DIR: dir });
  node.permissions.set(gone, 0);
});
afterAll(async () => {
  await node?.stop();
  await rm(dir, { recursive: true });
});
beforeEach(() => {
  counted += 1;
  channelId = `cccc${counted.toString(16).padStart(20, "0")}`;
  callId = `ca11${counted.toString(16).padStart(20, "0")}`;
  node.published.length = 0;
});

const call = (participantUserIds: string[]) => ({ durationSeconds: 65, participantUserIds, missed: false });
const record = (participantUserIds: string[], startedByUserId = ada): Promise<Result<"message.recordCall">> =>
  node.internal("message.recordCall", {
    channelId,
    callId,
    startedByUserId,
    call: call(participantUserIds),
  });
const say = (userId: string, content = "Hello") =>
  node.as(userId, "message.send", { channelId, content, nonce: crypto.randomUUID() });
const lastReadSeq = async (userId: string) =>
  (await node.internal("message.listHeads", { userId, channelIds: [channelId] })).heads[0]!.lastReadSeq;
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "allowed",
    ({ type }: { type: string }) => type,
  );

test("an ended call is a message by the user who started it, which all members receive", async () => {
  const { message } = await record([ada, bob]);
  expect(message).toMatchObject({ authorId: ada, content: "", call: call([ada, bob]) });
  await vi.waitFor(() =>
    expect(
      node.published.flatMap(({ name, payload }) =>
        name === "message.created" ? (payload as { messages: Message[] }).messages : [],
      ),
    ).toEqual([message]),
  );
  const { messages } = await node.as(bob, "message.list", { channelId });
  expect(messages).toEqual([message]);
});

test("it is written once, also by several processes", async () => {
  const [first, second] = await Promise.all([record([ada]), record([ada])]);
  expect(second).toEqual(first);
  expect(await record([ada])).toEqual(first);
  expect((await node.as(ada, "message.list", { channelId })).messages).toHaveLength(1);
});

test("a message of a user can't take its place", async () => {
  const params = { channelId, content: "Hello", nonce: `call-${callId}` };
  expect(await refusal(node.as(ada, "message.send", params))).toBe("VALIDATION_FAILED");
  // A webhook posts in the name of the user who created it.
  const as = { name: "Webhook", avatarUrl: null };
  const posted = node.internal("message.post", { ...params, authorId: ada, as });
  expect(await refusal(posted)).toBe("VALIDATION_FAILED");
  // Other nonces are still the sender's choice.
  await node.as(ada, "message.send", { ...params, nonce: "call-1" });
  const { message } = await record([ada, bob]);
  expect(message).toMatchObject({ seq: 2, call: call([ada, bob]) });
});

test("slow mode doesn't hold it up, and doesn't count it", async () => {
  node.slowModeMs.set(channelId, 60_000);
  await say(ada);
  const { message } = await record([ada, bob]);
  expect(message.seq).toBe(2);
  await say(bob);
  node.slowModeMs.delete(channelId);
});

test("it is written for those who remain if the user who started it has left the group", async () => {
  const { message } = await record([gone, bob], gone);
  expect(message.authorId).toBe(gone);
  callId = "ca11".padEnd(24, "f");
  expect(await refusal(record([gone], gone))).toBe("CHANNEL_NOT_FOUND");
});

test("only its deletion is possible, not an edit", async () => {
  const { message } = await record([ada, bob]);
  const place = { channelId, messageId: message.id };
  expect(await refusal(node.as(ada, "message.edit", { ...place, content: "No" }))).toBe("FORBIDDEN");
  expect(await refusal(node.as(bob, "message.delete", place))).toBe("FORBIDDEN");
  await node.as(ada, "message.delete", place);
  const { message: deleted } = await node.as(bob, "message.get", place);
  expect(deleted.call).toBeUndefined();
});

test("it is unread only for those who weren't in the call, or hadn't read what came before", async () => {
  const { message: hello } = await say(eve);
  for (const userId of [ada, eve]) await node.as(userId, "channel.markRead", { channelId, seq: hello.seq });
  const { message } = await record([ada, bob]);
  expect(await lastReadSeq(ada)).toBe(message.seq);
  expect(await lastReadSeq(bob)).toBe(0);
  expect(await lastReadSeq(eve)).toBe(hello.seq);
});

test("the first message of a channel can be one", async () => {
  const { message } = await record([ada, bob]);
  expect([await lastReadSeq(ada), await lastReadSeq(bob), await lastReadSeq(eve)]).toEqual([
    message.seq,
    message.seq,
    0,
  ]);
});
