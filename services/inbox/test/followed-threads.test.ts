import { must, type Person } from "@fanfare/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PERMISSIONS } from "@fanfare/contract";
import { type Instance, startInstance } from "../../../test/support/instance.ts";
import { join, type NewGroup, newGroup } from "./new-group.ts";

let instance: Instance;
let nonces = 0;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(() => instance?.stop());

async function send(by: Person, channelId: string, content: string): Promise<string> {
  const params = { channelId, content, nonce: String((nonces += 1)) };
  return (await must(instance.url, "message.send", params, by.accessToken)).message.id;
}

/** A thread in the group that its member follows, because they were mentioned. */
async function followedThread({ owner, channelId }: NewGroup, me: Person): Promise<string> {
  const messageId = await send(owner, channelId, "a beginning");
  const opened = await must(instance.url, "channel.openThread", { channelId, messageId }, owner.accessToken);
  await send(owner, opened.channel.id, `you <@${me.userId}>`);
  return opened.channel.id;
}

async function listed(me: Person): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const params = { limit: 2, ...(cursor !== undefined && { cursor }) };
    const page: { channels: { id: string }[]; nextCursor: string | null } = await must(
      instance.url,
      "channel.listFollowedThreads",
      params,
      me.accessToken,
    );
    ids.push(...page.channels.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return ids;
}

test("threads of all groups are listed by their last message, while the user can see them", async () => {
  const one = await newGroup(instance.url);
  const { me } = one;
  const other = await newGroup(instance.url);
  await join(instance.url, other, me);
  const threads = [
    await followedThread(one, me),
    await followedThread(other, me),
    await followedThread(one, me),
  ];
  const [first, second, third] = threads as [string, string, string];
  await expect.poll(() => listed(me)).toEqual([third, second, first]);
  // The time of the last message is stored a moment later.
  await send(one.owner, first, "news");
  await expect.poll(() => listed(me)).toEqual([first, third, second]);
  const { channels } = await must(instance.url, "channel.listFollowedThreads", { limit: 1 }, me.accessToken);
  expect(channels).toMatchObject([{ id: first, kind: "thread", head: { seq: 2 }, lastReadSeq: 0 }]);
  expect(await listed(other.me)).toEqual([]);

  await must(instance.url, "channel.delete", { channelId: third }, one.owner.accessToken);
  const target = { type: "everyone" } as const;
  await must(
    instance.url,
    "channel.setOverride",
    { channelId: other.channelId, target, allow: 0, deny: PERMISSIONS.view },
    other.owner.accessToken,
  );
  await expect.poll(() => listed(me)).toEqual([first]);
});
