import type { ScheduledMessage } from "@fanfare/contract";
import { freePort, must, type Person, post } from "@fanfare/testing";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Instance, startInstance } from "../../../test/support/instance.ts";
import { newGroup } from "./new-group.ts";

/** Longer than the interval at which due messages are looked for. */
const WAIT_MS = 60_000;

let instance: Instance;
let owner: Person;
let me: Person;
let groupId: string;
let channelId: string;

beforeAll(async () => {
  // Kept free during a restart.
  const [port, opsPort] = [await freePort(), await freePort()];
  instance = await startInstance({ PORT: String(port), OPS_PORT: String(opsPort) });
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

test("others can't see, change or remove a scheduled message", async () => {
  const { id } = await schedule("mine", inMs(HOUR_MS));
  expect((await must(instance.url, "scheduled.list", {}, owner.accessToken)).scheduled).toEqual([]);
  const params = { scheduledId: id, content: "yours" };
  const answer = await post(instance.url, "scheduled.change", params, owner.accessToken);
  expect(answer).toMatchObject({ ok: false, error: { type: "MESSAGE_NOT_FOUND" } });
  await must(instance.url, "scheduled.remove", { scheduledId: id }, owner.accessToken);
  expect(await scheduled()).toMatchObject([{ id, content: "mine" }]);
});

test("a time that is too far away is rejected", async () => {
  const params = { channelId, content: "far", sendAt: inMs(121 * 24 * HOUR_MS) };
  const answer = await post(instance.url, "scheduled.add", params, me.accessToken);
  expect(answer).toMatchObject({ ok: false, error: { type: "VALIDATION_FAILED" } });
});
