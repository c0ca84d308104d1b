import { LIMITS } from "@fanfare/contract";
import { must, type Person, post } from "@fanfare/testing";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Instance, startInstance } from "../../../test/support/instance.ts";
import { newGroup } from "./new-group.ts";

let instance: Instance;
let owner: Person;
let me: Person;
let groupId: string;
let channelId: string;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(() => instance?.stop());
beforeEach(async () => {
  ({ owner, me, groupId, channelId } = await newGroup(instance.url));
});

const set = (content: string, params = { channelId }) =>
  must(instance.url, "draft.set", { ...params, content }, me.accessToken);

async function drafts(of = me): Promise<[channelId: string, content: string][]> {
  const { drafts: found } = await must(instance.url, "draft.list", {}, of.accessToken);
  return found.map((draft) => [draft.channelId, draft.content]);
}

test("a user has one draft for each channel, which no one else sees; an empty text removes it", async () => {
  const { channel } = await must(instance.url, "channel.create", { groupId, name: "b" }, owner.accessToken);
  await set("first");
  await set("other", { channelId: channel.id });
  await set(" second ");
  expect(await drafts()).toEqual([
    [channelId, " second "],
    [channel.id, "other"],
  ]);
  expect(await drafts(owner)).toEqual([]);
  await set("");
  expect(await drafts()).toEqual([[channel.id, "other"]]);
  await must(instance.url, "channel.delete", { channelId: channel.id }, owner.accessToken);
  await vi.waitFor(async () => expect(await drafts()).toEqual([]), 30_000);
});

test("drafts beyond the limit replace the oldest ones", async () => {
  const ids: string[] = [];
  for (let number = 0; number <= LIMITS.draftsPerUser; number++) {
    const params = { groupId, name: `channel-${number}` };
    const { channel } = await must(instance.url, "channel.create", params, owner.accessToken);
    ids.unshift(channel.id);
    await set(`${number}`, { channelId: channel.id });
  }
  expect((await drafts()).map(([id]) => id)).toEqual(ids.slice(0, -1));
}, 120_000);

test("drafts are only kept for channels that the user sees, and up to a length", async () => {
  const other = await newGroup(instance.url);
  const inOther = { channelId: other.channelId, content: "hi" };
  const answer = await post(instance.url, "draft.set", inOther, me.accessToken);
  expect(answer).toMatchObject({ ok: false, error: { type: "CHANNEL_NOT_FOUND" } });
  const long = { channelId, content: "x".repeat(LIMITS.draftMaxChars + 1) };
  expect(await post(instance.url, "draft.set", long, me.accessToken)).toMatchObject({
    ok: false,
    error: { type: "VALIDATION_FAILED" },
  });
});
