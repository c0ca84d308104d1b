import { LIMITS, userRoom, type Call, type Params, type User } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import { befriend } from "../befriend.ts";
import type { FriendDependencies } from "../friend.dependencies.ts";
import { presentRequest } from "../friend.presenter.ts";
import { reachableAmong } from "../relations.ts";

/** Somebody may answer, or take back, what was between the two while this looks. */
const MAX_ROUNDS = 3;

export function request(dependencies: FriendDependencies): Handler<"friend.request"> {
  const { node, friendships } = dependencies;
  return async ({ params, actor, call }) => {
    const { userId } = actor;
    const other = await findUser(call, params);
    if (other.id === userId) {
      const issues = [{ path: "userId", message: "must be another user's" }];
      throw serviceError("VALIDATION_FAILED", { issues });
    }
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const existing = await friendships.find(userId, other.id);
      if (existing?.state === "friends") return { state: "friends" };
      if (existing?.requestedBy === userId) return { state: "requested" };
      if (existing !== null) {
        if ((await befriend(dependencies, userId, other.id)) !== null) return { state: "friends" };
        continue;
      }
      if (other.kind === "guest") throw serviceError("NOT_REACHABLE");
      const [isReachable] = await reachableAmong(dependencies, call, "request", actor, [other.id]);
      if (isReachable === undefined) throw serviceError("NOT_REACHABLE");
      const max = LIMITS.friendRequestsPerUser;
      const open = await Promise.all([userId, other.id].map((id) => friendships.count(id, "requested", max)));
      if (open.some((count) => count >= max)) {
        throw serviceError("LIMIT_REACHED", { limit: "friendRequestsPerUser", max });
      }
      const requested = await friendships.request(userId, other.id);
      if (requested === null) continue;
      for (const id of [userId, other.id]) {
        node.publish(userRoom(id), "friend.requested", { request: presentRequest(requested, id) });
      }
      return { state: "requested" };
    }
    throw serviceError("UNAVAILABLE", { retryAfterMs: 0 });
  };
}

async function findUser(call: Call, { userId, username }: Params<"friend.request">): Promise<User> {
  const { user } = await (username === undefined
    ? call("user.get", { userId: userId! })
    : call("user.findByUsername", { username }));
  return user;
}
