import { LIMITS } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import type { DirectRepository } from "./direct.repository.ts";

/** @throws {ServiceError} LIMIT_REACHED when one of the users is in as many direct channels as there may be */
export async function assertRoomForDirects(
  directs: DirectRepository,
  userIds: readonly string[],
): Promise<void> {
  const max = LIMITS.directChannelsPerUser;
  const counts = await Promise.all(userIds.map((userId) => directs.countOf(userId, max)));
  if (counts.some((count) => count >= max)) {
    throw serviceError("LIMIT_REACHED", { limit: "directChannelsPerUser", max });
  }
}
