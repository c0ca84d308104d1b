import type { Call, Params } from "@fanfare/contract";
import { serviceError, type Actor } from "@fanfare/kernel";

/** @throws {ServiceError} NOT_REACHABLE when the actor cannot reach one of the users in this way */
export async function assertReachable(
  call: Call,
  approach: Params<"friend.listReachable">["approach"],
  { userId, kind }: Pick<Actor, "userId" | "kind">,
  userIds: readonly string[],
): Promise<void> {
  const others = [...userIds];
  const reachable = await call("friend.listReachable", { userId, kind, userIds: others, approach });
  if (reachable.userIds.length < others.length) throw serviceError("NOT_REACHABLE");
}
