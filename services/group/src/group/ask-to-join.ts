import { LIMITS, type OwnJoinRequest, userRoom } from "@fanfare/contract";
import { assertBelow, orThrow, serviceError } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { publishToModerators } from "../moderators.ts";
import type { GroupDocument } from "./group.repository.ts";
import type { JoinPath } from "./join.ts";
import type { JoinRequestDocument } from "./join-request.repository.ts";

/**
 * Stores the request of a user who needs approval, unless they have one.
 * @throws {ServiceError} JOIN_REQUEST_REJECTED, LIMIT_REACHED, BANNED
 */
export async function askToJoin(
  dependencies: GroupDependencies,
  { groupId, enter }: JoinPath,
  userId: string,
  message: string,
): Promise<OwnJoinRequest> {
  const { node, joinRequests, groups, bans } = dependencies;
  const group = orThrow(await groups.find(groupId), "INVITE_NOT_FOUND");
  const existing = await joinRequests.find(groupId, userId);
  if (existing !== null) return presentWaiting(existing, group);
  const [open, own] = await Promise.all([
    joinRequests.countOpen(groupId),
    joinRequests.listOfUser(userId, LIMITS.joinRequestsListed),
  ]);
  assertBelow("joinRequestsPerGroup", open);
  assertBelow("joinRequestsPerUser", own.filter(({ isOpen }) => isOpen === true).length);
  assertBelow("joinRequestsListed", own.length);
  const added = await enter(() => joinRequests.add(groupId, userId, message));
  if (added === null) {
    // Another call of the user has stored one, or made them a member.
    const other = await joinRequests.find(groupId, userId);
    if (other === null) throw serviceError("UNAVAILABLE", { retryAfterMs: 0 });
    return presentWaiting(other, group);
  }
  // A ban is stored before the request is removed: either it is visible here, or the ban sees the request.
  if (await bans.exists(groupId, userId)) {
    await joinRequests.remove(groupId, userId);
    throw serviceError("BANNED");
  }
  const request = presentOwn(added, group);
  node.publish(userRoom(userId), "joinRequest.updated", { request });
  await publishRequestsChanged(dependencies, groupId);
  return request;
}

/** Removes the request of a user who is banned or has joined in another way. */
export async function removeJoinRequest(
  dependencies: GroupDependencies,
  groupId: string,
  userId: string,
): Promise<void> {
  const removed = await dependencies.joinRequests.remove(groupId, userId);
  if (removed === null) return;
  publishRemoved(dependencies, removed);
  await publishRequestsChanged(dependencies, groupId);
}

export function publishRequestsChanged(
  dependencies: Pick<GroupDependencies, "node" | "groups" | "roles">,
  groupId: string,
): Promise<void> {
  return publishToModerators(dependencies, groupId, "kickMembers", "joinRequest.changed", { groupId });
}

export function publishRemoved(
  { node }: Pick<GroupDependencies, "node">,
  { groupId, userId }: Pick<JoinRequestDocument, "groupId" | "userId">,
): void {
  node.publish(userRoom(userId), "joinRequest.removed", { groupId });
}

export function presentOwn(request: JoinRequestDocument, group: GroupDocument): OwnJoinRequest {
  const { groupId, message, createdAt, isOpen, expiresAt } = request;
  return {
    groupId,
    groupName: group.name,
    iconUrl: group.iconUrl ?? null,
    message,
    createdAt: createdAt.toISOString(),
    askAgainAt: isOpen === true ? null : expiresAt.toISOString(),
  };
}

/** @throws {ServiceError} JOIN_REQUEST_REJECTED */
function presentWaiting(request: JoinRequestDocument, group: GroupDocument): OwnJoinRequest {
  const presented = presentOwn(request, group);
  if (presented.askAgainAt === null) return presented;
  throw serviceError("JOIN_REQUEST_REJECTED", { askAgainAt: presented.askAgainAt });
}
