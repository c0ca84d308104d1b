import { PERMISSIONS } from "@fanfare/contract";
import { expect, test, vi } from "vitest";
import { connectOwnDatabase } from "../../../test/support/database.ts";
import { FOLLOW_RECORD_MS } from "../src/constants.ts";
import { createFollowRepository } from "../src/follow.repository.ts";
import { createFollowing } from "../src/mentions-and-follows.ts";

test("users who write in a thread every day keep following it, those who only opened it don't", async () => {
  const { connection, close } = await connectOwnDatabase();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  try {
    const follows = createFollowRepository(connection);
    const idOf = (digit: string) => digit.repeat(24);
    const [userId, other, parentId, groupId] = [idOf("a"), idOf("b"), idOf("c"), idOf("d")];
    const [daily, once, opened] = [idOf("1"), idOf("2"), idOf("3")];
    const findThreads = async ({ channelIds }: { channelIds: string[] }) => ({
      channels: channelIds.map((id) => ({ id, parentId, groupId, ownerId: id === opened ? userId : null })),
    });
    const node = {
      access: { get: async () => ({ permissions: PERMISSIONS.view }) },
      services: { channel: { findThreads } },
      publish: () => {},
    };
    const follow = createFollowing({ node: node as never, follows });
    const write = async (channelId: string, authorId = userId) => {
      vi.advanceTimersByTime(1);
      await follow({ channelId, groupId, messages: [{ authorId }] } as never);
    };
    const followed = async () => (await follows.listOf(userId)).map(({ threadId }) => threadId);
    await write(opened, other);
    await write(daily);
    await write(once);
    expect(await followed()).toEqual([once, daily, opened]);
    vi.advanceTimersByTime(FOLLOW_RECORD_MS);
    await write(daily);
    await write(opened, other);
    expect(await followed()).toEqual([daily, once, opened]);
    // As after ninety days.
    await follows.removeOfThreads([daily, opened]);
    vi.advanceTimersByTime(FOLLOW_RECORD_MS);
    await write(daily);
    await write(opened, other);
    expect(await followed()).toEqual([daily, once]);
  } finally {
    vi.useRealTimers();
    await close();
  }
});
