import type { Call, Params } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";

/** @throws {ServiceError} NOT_REACHABLE when one of the users does not want to be reached in this way by `userId` */
export async function assertReachable(
  call: Call,
  approach: Params<"friend.listReachable">["approach"],
  userId: string,
  userIds: readonly string[],
): Promise<void> {
  const others = [...userIds];
  const reachable = await call("friend.listReachable", { userId, userIds: others, approach });
  if (reachable.userIds.length < others.length) throw serviceError("NOT_REACHABLE");
}
