import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS, MEMBER_PERMISSIONS, type Message, type Params, PERMISSIONS } from "@fanfare/contract";
import { POLL_EMOJI } from "@fanfare/contract/limits";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type MessageNode, startMessageNode } from "./message-node.ts";

let dir: string;
let node: MessageNode;
let channelId: string;
let channels = 0;

const author = "a".repeat(24);
const voters = ["b".repeat(24), "c".repeat(24)] as const;
const moderator = "d".repeat(24);
const [ONE, TWO, THREE] = POLL_EMOJI;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-polls-"));
  node = await startMessageNode({ DATA_DIR: dir });
  node.permissions.set(moderator, MEMBER_PERMISSIONS | PERMISSIONS.manageMessages);
});
afterAll(async () => {
  await node?.stop();
  await rm(dir, { recursive: true });
});
beforeEach(() => {
  channelId = `cccc${(channels += 1).toString(16).padStart(20, "0")}`;
  node.published.length = 0;
});

type PollParams = Partial<NonNullable<Params<"message.send">["poll"]>>;

const start = async (poll: PollParams = {}, content = "Tea or coffee?"): Promise<Message> =>
  (
    await node.as(author, "message.send", {
      channelId,
      content,
      nonce: crypto.randomUUID(),
      poll: { options: ["Tea", "Coffee"], ...poll },
    })
  ).message;
const vote = (userId: string, { id: messageId }: Message, emoji: string) =>
  node.as(userId, "message.react", { channelId, messageId, emoji });
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "allowed",
    ({ type }: { type: string }) => type,
  );

async function votes({ id: messageId }: Message): Promise<Record<string, readonly string[]>> {
  const { message } = await node.as(author, "message.get", { channelId, messageId });
  return Object.fromEntries((message.reactions ?? []).map(({ emoji, userIds }) => [emoji, userIds]));
}

test("a poll is a message with options, which every member receives", async () => {
  const endsAt = new Date(Date.now() + 3_600_000).toISOString();
  const message = await start({ options: [" Tea ", "Coffee"], endsAt });
  expect(message.poll).toEqual({ options: ["Tea", "Coffee"], allowsSeveral: false, endsAt });
  const { messages } = await node.as(voters[0], "message.list", { channelId });
  expect(messages).toEqual([message]);
  expect(node.published.map(({ name }) => name)).toEqual(["message.created"]);
});

test("with one choice, a vote replaces the earlier one; other reactions are left alone", async () => {
  const message = await start();
  await vote(voters[0], message, ONE);
  await vote(voters[1], message, ONE);
  await vote(voters[0], message, "🎉");
  await vote(voters[0], message, TWO);
  await vi.waitFor(async () =>
    expect(await votes(message)).toEqual({ [ONE]: [voters[1]], [TWO]: [voters[0]], "🎉": [voters[0]] }),
  );
  // The poll has two options, so this is an ordinary reaction.
  await vote(voters[0], message, THREE);
  await vi.waitFor(async () =>
    expect(await votes(message)).toMatchObject({ [TWO]: [voters[0]], [THREE]: [voters[0]] }),
  );
});

test("with several choices, votes are added and taken back", async () => {
  const message = await start({ allowsSeveral: true });
  await vote(voters[0], message, ONE);
  await vote(voters[0], message, TWO);
  await vi.waitFor(async () =>
    expect(await votes(message)).toEqual({ [ONE]: [voters[0]], [TWO]: [voters[0]] }),
  );
  await node.as(voters[0], "message.unreact", { channelId, messageId: message.id, emoji: ONE });
  await vi.waitFor(async () => expect(await votes(message)).toEqual({ [TWO]: [voters[0]] }));
});

test("the author and moderators end a poll; then votes stay as they are", async () => {
  const message = await start();
  const one = { channelId, messageId: message.id };
  await vote(voters[0], message, ONE);
  await vi.waitFor(async () => expect(await votes(message)).toEqual({ [ONE]: [voters[0]] }));
  expect(await refusal(node.as(voters[0], "message.endPoll", one))).toBe("FORBIDDEN");
  const { message: ended } = await node.as(moderator, "message.endPoll", one);
  expect(Date.parse(ended.poll!.endsAt!)).toBeLessThanOrEqual(Date.now());
  expect((await node.as(author, "message.endPoll", one)).message).toEqual(ended);
  expect(await refusal(vote(voters[1], message, ONE))).toBe("POLL_ENDED");
  expect(await refusal(node.as(voters[0], "message.unreact", { ...one, emoji: ONE }))).toBe("POLL_ENDED");
  expect(await refusal(vote(voters[1], message, "🎉"))).toBe("allowed");
  await vi.waitFor(async () => expect(await votes(message)).toMatchObject({ [ONE]: [voters[0]] }));
});

test("a message without a poll can't be ended", async () => {
  const { message } = await node.as(author, "message.send", { channelId, content: "hi", nonce: "plain" });
  expect(await refusal(node.as(author, "message.endPoll", { channelId, messageId: message.id }))).toBe(
    "MESSAGE_NOT_FOUND",
  );
});

test.each<[what: string, poll: PollParams, content?: string]>([
  ["one option", { options: ["Tea"] }],
  ["too many options", { options: Array.from({ length: LIMITS.pollOptions + 1 }, String) }],
  ["an empty option", { options: ["Tea", " "] }],
  ["a long option", { options: ["Tea", "x".repeat(LIMITS.pollOptionMaxChars + 1)] }],
  ["an end in the past", { endsAt: new Date(0).toISOString() }],
  ["an end too far away", { endsAt: "2999-01-01T00:00:00.000Z" }],
  ["no question", {}, ""],
])("a poll with %s is refused", async (_, poll, content) => {
  expect(await refusal(start(poll, content))).toBe("VALIDATION_FAILED");
});

test("a deleted poll has no options left", async () => {
  const message = await start();
  await node.as(author, "message.delete", { channelId, messageId: message.id });
  const { messages } = await node.as(author, "message.list", { channelId });
  expect(messages[0]).not.toHaveProperty("poll");
});
