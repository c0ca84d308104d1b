import type { Handler } from "@fanfare/kernel";
import type { FriendDependencies } from "../friend.dependencies.ts";
import { presentFriend, presentRequest } from "../friend.presenter.ts";
import type { FriendshipDocument, FriendshipState } from "../friendship.repository.ts";

export function list(dependencies: FriendDependencies): Handler<"friend.list"> {
  return async ({ params, actor: { userId } }) => {
    const { page, nextCursor } = await readPage(dependencies, userId, "friends", params);
    return { friends: page.map((friendship) => presentFriend(friendship, userId)), nextCursor };
  };
}

export function listRequests(dependencies: FriendDependencies): Handler<"friend.listRequests"> {
  return async ({ params, actor: { userId } }) => {
    const { page, nextCursor } = await readPage(dependencies, userId, "requested", params);
    return { requests: page.map((friendship) => presentRequest(friendship, userId)), nextCursor };
  };
}

async function readPage(
  { friendships }: FriendDependencies,
  userId: string,
  state: FriendshipState,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<{ page: FriendshipDocument[]; nextCursor: string | null }> {
  const found = await friendships.list(userId, state, cursor, limit + 1);
  const page = found.slice(0, limit);
  return { page, nextCursor: found.length > limit ? page.at(-1)!._id : null };
}
