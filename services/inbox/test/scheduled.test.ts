import { type BotScope, PERMISSIONS, type ScheduledMessage } from "@fanfare/contract";
import { type NodeContext, serviceError } from "@fanfare/kernel";
import { createAccount, freePort, must, type Person, post } from "@fanfare/testing";
import { mongo } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Instance, startInstance } from "../../../test/support/instance.ts";
import { createScheduledSending } from "../src/drafts.ts";
import { createScheduledRepository } from "../src/draft.repository.ts";
import { newGroup } from "./new-group.ts";

/** Longer than the interval at which due messages are looked for. */
const WAIT_MS = 60_000;

let instance: Instance;
let admin: Person;
let owner: Person;
let me: Person;
let groupId: string;
let channelId: string;

beforeAll(async () => {
  // Kept free during a restart.
  const [port, opsPort] = [await freePort(), await freePort()];
  instance = await startInstance({ PORT: String(port), OPS_PORT: String(opsPort) });
  admin = await createAccount(instance.url);
});
afterAll(() => instance?.stop());

beforeEach(async () => {
  ({ owner, me, groupId, channelId } = await newGroup(instance.url));
});

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const HOUR_MS = 3_600_000;

async function schedule(content: string, sendAt: string): Promise<ScheduledMessage> {
  const params = { channelId, content, sendAt };
  return (await must(instance.url, "scheduled.add", params, me.accessToken)).scheduled;
}

async function scheduled(): Promise<ScheduledMessage[]> {
  return (await must(instance.url, "scheduled.list", {}, me.accessToken)).scheduled;
}

async function sent(): Promise<string[]> {
  const { messages } = await must(instance.url, "message.list", { channelId }, owner.accessToken);
  expect(messages.every(({ authorId }) => authorId === me.userId)).toBe(true);
  return messages.map(({ content }) => content);
}

test(
  "messages are sent at their time, once, also after a restart; changed ones as changed, removed ones never",
  async () => {
    const [changed, removed] = [
      await schedule("draft", inMs(HOUR_MS)),
      await schedule("removed", inMs(2000)),
    ];
    await schedule("later", inMs(HOUR_MS));
    await schedule("soon", inMs(2000));
    expect((await scheduled()).map(({ content }) => content)).toEqual(["removed", "soon", "draft", "later"]);
    await must(instance.url, "scheduled.remove", { scheduledId: removed.id }, me.accessToken);
    await instance.restart();
    const params = { scheduledId: changed.id, content: "final", sendAt: inMs(0) };
    await must(instance.url, "scheduled.change", params, me.accessToken);
    await vi.waitFor(async () => expect((await sent()).toSorted()).toEqual(["final", "soon"]), WAIT_MS);
    await vi.waitFor(async () =>
      expect((await scheduled()).map(({ content }) => content)).toEqual(["later"]),
    );
    await schedule("last", inMs(0));
    await vi.waitFor(async () => expect(await sent()).toHaveLength(3), WAIT_MS);
  },
  3 * WAIT_MS,
);

test(
  "a message that may not be sent at its time stays, with the reason, and can be tried again",
  async () => {
    const { id } = await schedule("am I still welcome?", inMs(HOUR_MS));
    const muted = { groupId, userId: me.userId, durationMs: HOUR_MS };
    await must(instance.url, "group.mute", muted, owner.accessToken);
    const retry = () =>
      must(instance.url, "scheduled.change", { scheduledId: id, sendAt: inMs(0) }, me.accessToken);
    await retry();
    await vi.waitFor(
      async () => expect(await scheduled()).toMatchObject([{ id, failure: "MUTED" }]),
      WAIT_MS,
    );
    expect(await sent()).toEqual([]);
    await must(instance.url, "group.unmute", { groupId, userId: me.userId }, owner.accessToken);
    expect(await retry()).toMatchObject({ scheduled: { failure: null } });
    await vi.waitFor(async () => expect(await sent()).toEqual(["am I still welcome?"]), WAIT_MS);
  },
  3 * WAIT_MS,
);

test(
  "a scheduled message mentions roles that everyone can mention",
  async () => {
    const role = { groupId, name: "crew", mentionable: true };
    const { id } = (await must(instance.url, "role.create", role, owner.accessToken)).role;
    await schedule(`<@&${id}>`, inMs(0));
    await vi.waitFor(async () => expect(await sent()).toHaveLength(1), WAIT_MS);
    const { messages } = await must(instance.url, "message.list", { channelId }, owner.accessToken);
    expect(messages[0]!.mentions?.roleIds).toEqual([id]);
  },
  3 * WAIT_MS,
);

/** As if its time had come. @returns why it isn't sent */
async function failureOf({ id }: ScheduledMessage): Promise<string> {
  const stored = instance.collection("scheduledMessages");
  const _id = new mongo.ObjectId(id);
  await stored.updateOne({ _id }, { $set: { dueAt: new Date(0) }, $unset: { failure: 1 } });
  await instance
    .collection("jobs")
    .updateOne({ kind: "inbox.sendScheduled" }, { $set: { dueAt: new Date(0) } });
  return vi.waitFor(async () => {
    const found = await stored.findOne({ _id });
    if (found === null) return "sent";
    expect(found["failure"]).toEqual(expect.any(String));
    return found["failure"] as string;
  }, WAIT_MS);
}

test(
  "a disabled user sends nothing, until an admin enables the account",
  async () => {
    const message = await schedule("I was dismissed", inMs(HOUR_MS));
    await must(instance.url, "admin.disableUser", { userId: me.userId }, admin.accessToken);
    expect(await failureOf(message)).toBe("USER_DISABLED");
    expect(await sent()).toEqual([]);
    await must(instance.url, "admin.enableUser", { userId: me.userId }, admin.accessToken);
    expect(await failureOf(message)).toBe("sent");
    expect(await sent()).toEqual(["I was dismissed"]);
  },
  3 * WAIT_MS,
);

describe("a bot", () => {
  const scopes: BotScope[] = ["messages.write"];
  let botId: string;
  let message: ScheduledMessage;
  beforeEach(async () => {
    const permissions = PERMISSIONS.manageWebhooks;
    const role = { groupId, name: "Integrations", permissions };
    const { role: made } = await must(instance.url, "role.create", role, owner.accessToken);
    const assigned = { groupId, roleId: made.id, userId: me.userId };
    await must(instance.url, "role.assign", assigned, owner.accessToken);
    const params = { groupId, name: "Robot", scopes };
    const { bot, token } = await must(instance.url, "bot.create", params, me.accessToken);
    botId = bot.id;
    const later = { channelId, content: "beep", sendAt: inMs(HOUR_MS) };
    message = (await must(instance.url, "scheduled.add", later, token)).scheduled;
  });

  const ENDS: [string, () => Promise<unknown>][] = [
    [
      "whose token was revoked",
      () => must(instance.url, "bot.revokeToken", { kind: "bot", id: botId }, me.accessToken),
    ],
    [
      "that can no longer send messages",
      () => must(instance.url, "bot.update", { groupId, botId, scopes: [] }, me.accessToken),
    ],
    [
      "whose holder was kicked",
      () => must(instance.url, "group.kick", { groupId, userId: me.userId }, owner.accessToken),
    ],
    [
      "whose holder is disabled",
      () => must(instance.url, "admin.disableUser", { userId: me.userId }, admin.accessToken),
    ],
  ];
  for (const [index, [name, end]] of ENDS.entries())
    test(`${name} sends nothing`, { tags: index === 0 ? [] : "long", timeout: 2 * WAIT_MS }, async () => {
      await end();
      expect(await failureOf(message)).toBe("BOT_NOT_ALLOWED");
    });

  test(
    "with a new token sends what it has scheduled before",
    async () => {
      await must(instance.url, "bot.rotateToken", { groupId, botId }, me.accessToken);
      expect(await failureOf(message)).toBe("sent");
    },
    2 * WAIT_MS,
  );
});

/** Sends the only message, which isn't due yet, as if it were. */
async function sendNow(
  onSend: (content: string) => Promise<void>,
  meanwhile = async () => {},
  isActive = async () => ({ isActive: true }),
) {
  const repository = createScheduledRepository(instance.collection("scheduledMessages").conn);
  const [document] = await repository.listOf(me.userId);
  await meanwhile();
  const services = {
    user: { isActive },
    message: { post: ({ content }: { content: string }) => onSend(content) },
  };
  const node = { services, publish: () => undefined } as unknown as NodeContext;
  await createScheduledSending(node, repository)(document!);
}

test("a message that is being sent can't be changed or removed: its sender learns that it is too late", async () => {
  const { id: scheduledId } = await schedule("draft", inMs(HOUR_MS));
  const change = (changes: object) =>
    post(instance.url, "scheduled.change", { scheduledId, ...changes }, me.accessToken);
  const expectTooLate = async () => {
    const tooLate = { ok: false, error: { type: "SCHEDULED_NOT_FOUND" } };
    expect(await change({ content: "late" })).toMatchObject(tooLate);
    expect(await change({ sendAt: inMs(HOUR_MS) })).toMatchObject(tooLate);
    expect(await post(instance.url, "scheduled.remove", { scheduledId }, me.accessToken)).toMatchObject(
      tooLate,
    );
  };
  const waits = serviceError("SLOW_MODE", { retryAfterMs: 1000 });
  await expect(sendNow(() => Promise.reject(waits))).rejects.toThrow(waits);
  expect(await change({ content: "changed while it waits" })).toMatchObject({ ok: true });
  const unknown = serviceError("UNAVAILABLE", { retryAfterMs: 1000 });
  const isAway = () => Promise.reject(unknown);
  await expect(sendNow(isAway, undefined, isAway)).rejects.toThrow(unknown);
  expect(await change({ content: "changed while users are away" })).toMatchObject({ ok: true });
  // It can have been sent.
  await expect(sendNow(isAway)).rejects.toThrow(unknown);
  await expectTooLate();
  await expect(sendNow(() => Promise.reject(waits))).rejects.toThrow(waits);
  await expectTooLate();
  const contents: string[] = [];
  await sendNow(async (content) => {
    await expectTooLate();
    contents.push(content);
  });
  expect(contents).toEqual(["changed while users are away"]);
  expect(await scheduled()).toEqual([]);
  expect(await change({ content: "later" })).toMatchObject({ error: { type: "SCHEDULED_NOT_FOUND" } });
});

test("a message is sent as it is at that moment, not as it was when its time was noticed", async () => {
  const { id: scheduledId } = await schedule("draft", inMs(HOUR_MS));
  const contents: string[] = [];
  const keep = async (content: string) => void contents.push(content);
  const change = (changes: object) => async () =>
    void (await must(instance.url, "scheduled.change", { scheduledId, ...changes }, me.accessToken));
  await sendNow(keep, change({ sendAt: inMs(2 * HOUR_MS) }));
  expect(contents).toEqual([]);
  await sendNow(keep, change({ content: "final" }));
  expect(contents).toEqual(["final"]);
});

test("a message that got another time doesn't fail before it", async () => {
  const { id: scheduledId } = await schedule("draft", inMs(HOUR_MS));
  const sendAt = inMs(2 * HOUR_MS);
  const postpone = async () =>
    void (await must(instance.url, "scheduled.change", { scheduledId, sendAt }, me.accessToken));
  await sendNow(
    async () => {},
    postpone,
    async () => ({ isActive: false }),
  );
  expect(await scheduled()).toMatchObject([{ id: scheduledId, sendAt, failure: null }]);
});

test("others can't see, change or remove a scheduled message", async () => {
  const { id } = await schedule("mine", inMs(HOUR_MS));
  expect((await must(instance.url, "scheduled.list", {}, owner.accessToken)).scheduled).toEqual([]);
  const params = { scheduledId: id, content: "yours" };
  const answer = await post(instance.url, "scheduled.change", params, owner.accessToken);
  expect(answer).toMatchObject({ ok: false, error: { type: "SCHEDULED_NOT_FOUND" } });
  await must(instance.url, "scheduled.remove", { scheduledId: id }, owner.accessToken);
  expect(await scheduled()).toMatchObject([{ id, content: "mine" }]);
});

test("a time that is too far away is rejected", async () => {
  const params = { channelId, content: "far", sendAt: inMs(121 * 24 * HOUR_MS) };
  const answer = await post(instance.url, "scheduled.add", params, me.accessToken);
  expect(answer).toMatchObject({ ok: false, error: { type: "VALIDATION_FAILED" } });
});
