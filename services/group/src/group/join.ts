import { LIMITS, type OwnJoinRequest, type Result, type Subject, userRoom } from "@fanfare/contract";
import {
  assertBelow,
  orThrow,
  ResponseBudget,
  ServiceError,
  serviceError,
  withoutDeadline,
} from "@fanfare/kernel";
import type { ChannelDocument } from "../channel/channel.model.ts";
import { publishToModerators } from "../channel/rooms.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel, presentGroup } from "../group.presenter.ts";
import { loadMember, newcomer, sees } from "../subjects.ts";
import type { GroupDocument, JoinRules } from "./group.repository.ts";
import type { JoinRequestDocument } from "./join-request.repository.ts";
import { countJoin, mayHaveRequests, needsApproval } from "./moderation.ts";

type Joined = Result<"invite.accept">;

/** The invite or the directory through which a user comes. */
export interface JoinPath {
  groupId: string;
  /** A member who can approve join requests has chosen the user. */
  isApproved?: boolean;
  /** Takes a use of the invite, stores the member or the join request, and gives the use back if that returns null. */
  enter: <T>(store: () => Promise<T | null>) => Promise<T | null>;
}

interface JoinCall {
  userId: string;
  askedAtMs: number;
}

/** Makes users members: those who have an invite, found a listed group or were approved. */
export function createJoin(dependencies: GroupDependencies) {
  const { node, groups, channels, members, bans, joinRequests, membership } = dependencies;

  /** @param admit stores the member; null when another call has done so in the meantime */
  const joinWith = async (
    groupId: string,
    { userId, askedAtMs }: JoinCall,
    admit: (rules: JoinRules) => Promise<GroupDocument | null>,
  ): Promise<Joined> => {
    const [listed, isBanned, groupIds] = await Promise.all([
      channels.listOfGroup(groupId),
      bans.exists(groupId, userId),
      members.listGroupIds(userId),
    ]);
    const presentAsMember = async (seen: typeof listed): Promise<Joined> => {
      const group = orThrow(await groups.find(groupId), "INVITE_NOT_FOUND");
      const member = await loadMember(dependencies, groupId, userId);
      return present(group, visible(member?.subject ?? newcomer(userId), seen));
    };
    if (isBanned) throw serviceError("BANNED");
    if (groupIds.includes(groupId)) {
      // An earlier attempt may have stored the member and then failed before the sockets joined the rooms.
      await membership.settleRooms(groupId, userId, true);
      return presentAsMember(listed);
    }
    assertBelow("groupsPerUser", groupIds.length);

    const [rules] = await Promise.all([
      requireSpace(dependencies, groupId),
      membership.assertJoinNotOutdated(groupId, userId, askedAtMs),
    ]);
    const joined = await withoutDeadline(() => admit(rules));
    const hadGrants = listed.some(({ overrides = [] }) =>
      overrides.some(({ type, id, allow }) => type === "member" && id === userId && allow !== 0),
    );
    // Joining revokes the grants of a former member.
    const channelsNow = hadGrants ? await channels.listOfGroup(groupId) : listed;
    if (joined === null) return presentAsMember(channelsNow);
    const result = present(joined, visible(newcomer(userId), channelsNow));
    node.publish(userRoom(userId), "group.joined", result);
    return result;
  };

  /** @throws {ServiceError} APPROVAL_REQUIRED */
  const join = async ({ groupId, isApproved = false, enter }: JoinPath, call: JoinCall): Promise<Joined> => {
    const { userId, askedAtMs } = call;
    let mayHaveAsked = false;
    const result = await joinWith(groupId, call, async (rules) => {
      const approvalRequired = () => serviceError("APPROVAL_REQUIRED", { groupId });
      if (!isApproved && needsApproval(rules)) throw approvalRequired();
      let isCounted = true;
      const store = async () => {
        isCounted = isApproved || (await countJoin(dependencies, rules, groupId, userId));
        return isCounted ? membership.admit(groupId, userId, askedAtMs) : null;
      };
      // An open request has taken a use of the invite, but not of one that needs no approval.
      const hasAsked =
        !isApproved && mayHaveRequests(rules) && (await joinRequests.find(groupId, userId))?.isOpen === true;
      const joined = await (hasAsked ? store() : enter(store));
      if (!isCounted) throw approvalRequired();
      mayHaveAsked = joined !== null && mayHaveRequests(joined);
      return joined;
    });
    if (mayHaveAsked) await removeJoinRequest(dependencies, groupId, userId);
    return result;
  };

  return {
    join,

    /** For a user whose request is being approved; the caller removes it. */
    joinApproved: (groupId: string, call: JoinCall): Promise<Joined> =>
      joinWith(groupId, call, () => membership.admit(groupId, call.userId, call.askedAtMs)),

    /**
     * Joins the group, or stores a request where new members need approval.
     * @returns null when the user is a member now
     */
    joinOrAsk: async (path: JoinPath, call: JoinCall, message: string): Promise<OwnJoinRequest | null> => {
      try {
        await join(path, call);
        return null;
      } catch (error) {
        if (!(error instanceof ServiceError) || error.type !== "APPROVAL_REQUIRED") throw error;
        return withoutDeadline(() => askToJoin(dependencies, path, call.userId, message));
      }
    },
  };
}

/** @throws {ServiceError} LIMIT_REACHED when the group is full */
async function requireSpace({ node, groups }: GroupDependencies, groupId: string): Promise<JoinRules> {
  const [{ membersPerGroup }, rules] = await Promise.all([node.policy.get(), groups.joinRules(groupId)]);
  assertBelow("membersPerGroup", rules?.memberCount ?? 0, membersPerGroup ?? undefined);
  return rules ?? {};
}

export const visible = (subject: Subject, channels: readonly ChannelDocument[]): ChannelDocument[] =>
  channels.filter((channel) => sees(subject, channel));

function present(group: GroupDocument, channels: readonly ChannelDocument[]): Joined {
  return {
    group: presentGroup(group),
    channels: new ResponseBudget().takeWhileFits(channels.map(presentChannel)),
  };
}

/**
 * Stores the request of a user who needs approval, unless they have one.
 * @throws {ServiceError} JOIN_REQUEST_REJECTED, LIMIT_REACHED, BANNED
 */
async function askToJoin(
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
