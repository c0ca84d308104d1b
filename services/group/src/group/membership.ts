import { type EventPayload, groupRoom, roleRoom, type Subject, userRoom } from "@fanfare/contract";
import { type NodeContext, serviceError, withoutDeadline } from "@fanfare/kernel";
import { type OverrideSubdocument, keysOfSubject } from "../channel/channel.model.ts";
import type { ChannelMoves } from "../channel/channel-moves.ts";
import { ownRooms, type PrivateGroups } from "../channel/rooms.ts";
import type { GroupRepositories } from "../group.dependencies.ts";
import { presentChannel, presentMute } from "../group.presenter.ts";
import type { MemberAnnouncer } from "./member-announcer.ts";
import type { MemberCountCheck } from "./member-count-check.ts";
import { loadMember, newcomer, sees } from "../subjects.ts";
import type { DepartureDocument } from "./departure.repository.ts";
import type { GroupDocument } from "./group.repository.ts";
import type { MemberDocument } from "./member.repository.ts";

/** Rooms are settled again when the same member changes in the meantime. */
const MAX_SETTLE_ROUNDS = 5;
/** Longer than the clocks of a cluster differ, so that a user who leaves and rejoins succeeds with the first retry. */
const OUTDATED_RETRY_MS = 1000;

type LeaveReason = EventPayload<"group.left">["reason"];
type Removal = "removed" | "not a member" | "is the owner";

interface MembershipOptions extends GroupRepositories {
  node: NodeContext;
  announcer: MemberAnnouncer;
  memberCounts: MemberCountCheck;
  privateGroups: Pick<PrivateGroups, "among">;
  changeOverrides: ChannelMoves["change"];
}

export type Membership = ReturnType<typeof createMembership>;

/** The membership was changed by a newer call; the client can retry. */
export const outdated = () => serviceError("UNAVAILABLE", { retryAfterMs: OUTDATED_RETRY_MS });

/** Adding and removing members, with all side effects. */
export function createMembership({
  node,
  groups,
  channels,
  members,
  mutes,
  invites,
  bans,
  departures,
  formers,
  roles,
  overrides,
  announcer,
  memberCounts,
  privateGroups,
  changeOverrides,
}: MembershipOptions) {
  /** Drops the cached permissions of the user, or of all members for null: immediately in this process, then in all others. */
  const forget = (groupId: string, userId: string | null): void => {
    node.access.invalidate(groupId, userId);
    node.broadcast("access.changed", { groupId, userId });
  };

  const loadSubject = async (groupId: string, userId: string): Promise<Subject> =>
    (await loadMember({ groups, members, roles }, groupId, userId))?.subject ?? newcomer(userId);

  /** Order matters: filling a channel's room stores that room first and then uses the rooms of the group and of roles. */
  const enterRooms = async (groupId: string, subject: Subject): Promise<void> => {
    const user = userRoom(subject.userId);
    node.fanout.socketsJoin(user, [groupRoom(groupId), ...subject.roles.map(({ id }) => roleRoom(id))]);
    if (!(await privateGroups.among([groupId])).has(groupId)) return;
    const found = await overrides.listByKeys(keysOfSubject(groupId, subject));
    const rooms = found
      .filter((channel) => channel.groupId === groupId && sees(subject, channel))
      .flatMap(ownRooms);
    if (rooms.length > 0) node.fanout.socketsJoin(user, rooms);
  };

  const leaveRooms = async (groupId: string, userId: string): Promise<void> => {
    const user = userRoom(userId);
    node.fanout.socketsLeave(user, [groupRoom(groupId)]);
    const roleRooms = (await roles.listOfGroup(groupId)).map(({ _id }) => roleRoom(_id));
    if (roleRooms.length > 0) node.fanout.socketsLeave(user, roleRooms);
    const rooms = (await overrides.listPrivate(groupId)).flatMap(ownRooms);
    if (rooms.length > 0) node.fanout.socketsLeave(user, rooms);
  };

  /**
   * Moves the user's sockets into or out of the rooms, then checks again: when a join and a kick run concurrently, the one stored
   * last decides.
   * @param known the joining user's subject, when no query is needed for it
   * @returns whether the user is a member in the end
   */
  const settleRooms = async (
    groupId: string,
    userId: string,
    isMember: boolean,
    known?: Subject,
  ): Promise<boolean> => {
    let expected = isMember;
    for (let round = 0; round < MAX_SETTLE_ROUNDS; round += 1) {
      if (!expected) await leaveRooms(groupId, userId);
      else await enterRooms(groupId, known ?? (await loadSubject(groupId, userId)));
      const stored = await members.exists(groupId, userId);
      if (stored === expected) return stored;
      expected = stored;
    }
    await leaveRooms(groupId, userId);
    return false;
  };

  /** After a change of roles or ownership: moves the sockets, and publishes channels that appear or disappear. */
  const settleRoles = async (groupId: string, before: Subject, after: Subject): Promise<void> => {
    const user = userRoom(after.userId);
    const lost = before.roles.filter(({ id }) => !after.roles.some((role) => role.id === id));
    if (lost.length > 0)
      node.fanout.socketsLeave(
        user,
        lost.map(({ id }) => roleRoom(id)),
      );
    if (after.roles.length > 0)
      node.fanout.socketsJoin(
        user,
        after.roles.map(({ id }) => roleRoom(id)),
      );
    for (const channel of await overrides.listPrivate(groupId)) {
      const [saw, seesNow] = [sees(before, channel), sees(after, channel)];
      if (seesNow) node.fanout.socketsJoin(user, ownRooms(channel));
      if (seesNow && !saw) await publishChannel(user, channel._id);
      if (!seesNow) node.fanout.socketsLeave(user, ownRooms(channel));
      if (!seesNow && saw) {
        node.publish(user, "channel.deleted", { groupId, channelId: channel._id });
      }
    }
  };

  const publishChannel = async (room: string, channelId: string): Promise<void> => {
    const channel = await channels.find(channelId);
    if (channel !== null) node.publish(room, "channel.created", { channel: presentChannel(channel) });
  };

  const addToCount = async (groupId: string, change: 1 | -1): Promise<GroupDocument | null> => {
    try {
      return await groups.addToMemberCount(groupId, change);
    } catch (error) {
      memberCounts.checkAgain(groupId);
      throw error;
    }
  };

  const publishLeft = (groupId: string, userId: string, reason: LeaveReason): void => {
    node.publish(userRoom(userId), "group.left", { groupId, reason });
    announcer.changed(groupId, userId);
  };

  /** Deletes the picture of the user in the group. @returns whether it succeeded */
  const dropPicture = (groupId: string, userId: string): Promise<boolean> =>
    node.services.file.dropPictures({ of: { type: "member", id: groupId }, userId }).then(
      () => true,
      () => false,
    );

  /**
   * Removes the user's invites, and what the channels of the group allow the user, who may rejoin with any other invite. What is
   * denied to them stays.
   * @returns whether it succeeded
   */
  const revokeGrants = async (groupId: string, userId: string): Promise<boolean> => {
    const isOfUser = ({ type, id }: OverrideSubdocument) => type === "member" && id === userId;
    const withoutAllow = (all: readonly OverrideSubdocument[]): OverrideSubdocument[] =>
      all
        .map((one) => (isOfUser(one) ? { ...one, allow: 0 } : one))
        .filter((one) => !isOfUser(one) || one.deny !== 0);
    try {
      await invites.removeBy(groupId, userId);
      for (const channel of await overrides.listWith(groupId, { type: "member", id: userId }))
        if (channel.overrides?.some((one) => isOfUser(one) && one.allow !== 0) === true)
          await changeOverrides(channel._id, withoutAllow);
      return true;
    } catch (error) {
      node.logger.warn({ err: error, groupId }, "grants of a former member not revoked, retrying");
      return false;
    }
  };

  /** @throws {ServiceError} UNAVAILABLE when the user left or was removed after `askedAtMs` */
  const assertJoinNotOutdated = async (groupId: string, userId: string, askedAtMs: number): Promise<void> => {
    if (await formers.hasLeftSince(groupId, userId, askedAtMs)) throw outdated();
  };

  /** The departure is stored first and removed last, so that another call or process can complete it if this one fails. */
  const remove = async (groupId: string, userId: string, reason: LeaveReason): Promise<Removal> => {
    const member = await members.find(groupId, userId);
    if (member !== null)
      await Promise.all([
        storeMute(groupId, userId, member),
        formers.note(groupId, userId, { joinedAt: member.joinedAt, reason }),
      ]);
    const departure = await (member === null
      ? departures.find(groupId, userId)
      : departures.note(groupId, userId, reason));
    const removed = member === null ? null : await members.remove(groupId, userId);
    forget(groupId, userId);
    if (removed === null) {
      if (departure === null) return "not a member";
      await finish(departure);
      return "removed";
    }
    const [group, isMember] = await Promise.all([
      addToCount(groupId, -1),
      settleRooms(groupId, userId, false),
    ]);
    // The ownership was transferred to this member after the caller's check: an owner stays a member.
    const isOwner = group?.ownerId === userId;
    if (isOwner) await restore(groupId, userId, removed);
    // The user may have rejoined with an invite.
    else if (!isMember) publishLeft(groupId, userId, reason);
    // Rejoining has already revoked the earlier grants.
    const isRevoked = isOwner || isMember || (await revokeGrants(groupId, userId));
    const isClean = isOwner || removed.avatarUrl === undefined || (await dropPicture(groupId, userId));
    // The sweep completes one that stays.
    if (departure !== null && isRevoked && isClean) await departures.remove(departure);
    memberCounts.checkOnce(groupId);
    return isOwner ? "is the owner" : "removed";
  };

  /** Repeats all steps after the removal of a member: the process that started them may have died at any point. */
  const finish = async (departure: DepartureDocument): Promise<void> => {
    const [groupId, userId] = [departure.groupId, departure.userId];
    forget(groupId, userId);
    const isMember = await settleRooms(groupId, userId, await members.exists(groupId, userId));
    if (!isMember) publishLeft(groupId, userId, departure.reason);
    const isRevoked = isMember || (await revokeGrants(groupId, userId));
    const isClean = isMember || (await dropPicture(groupId, userId));
    if (isRevoked && isClean) await departures.remove(departure);
    memberCounts.checkAgain(groupId);
  };

  /** Called before the member is removed, so that members who leave and rejoin immediately stay muted. */
  const storeMute = async (
    groupId: string,
    userId: string,
    { mutedUntil }: Pick<MemberDocument, "mutedUntil">,
  ): Promise<void> => {
    if (mutedUntil === null || presentMute(mutedUntil) === null) return;
    await mutes.keep(groupId, userId, mutedUntil);
  };

  const restore = async (groupId: string, userId: string, removed: MemberDocument): Promise<void> => {
    const inserted = await members.insert(groupId, userId, removed);
    if (inserted !== null) await addToCount(groupId, 1);
    await settleRooms(groupId, userId, true);
  };

  /** The steps of `admit` after the member is stored. */
  const welcome = async (groupId: string, userId: string, askedAtMs: number): Promise<GroupDocument> => {
    // Bans and departures are stored before the member is removed: either they are visible here, or the removal sees this member.
    const [group, isBanned, hasLeft] = await Promise.all([
      addToCount(groupId, 1),
      bans.exists(groupId, userId),
      formers.hasLeftSince(groupId, userId, askedAtMs),
    ]);
    if (group === null) {
      await members.remove(groupId, userId);
      throw serviceError("INVITE_NOT_FOUND");
    }
    if (isBanned) {
      await remove(groupId, userId, "banned");
      throw serviceError("BANNED");
    }
    if (hasLeft) {
      await remove(groupId, userId, "kicked");
      throw outdated();
    }
    const isIn = await settleRooms(groupId, userId, true, newcomer(userId));
    if (!isIn) throw serviceError("INVITE_NOT_FOUND");
    announcer.changed(groupId, userId);
    memberCounts.checkOnce(groupId);
    return group;
  };

  return {
    forget,
    settleRooms,
    settleRoles,
    assertJoinNotOutdated,
    remove,
    finish,

    /**
     * Makes a user a member. The caller notifies the user.
     * @param askedAtMs when the join was requested, in milliseconds since the epoch
     * @returns the updated group, or null when the user was already a member
     * @throws {ServiceError} BANNED; INVITE_NOT_FOUND when the group was deleted or the user removed in the meantime;
     *   UNAVAILABLE when the user was removed after the join was requested
     */
    async admit(groupId: string, userId: string, askedAtMs: number): Promise<GroupDocument | null> {
      const [mutedUntil, wasMember] = await Promise.all([
        mutes.find(groupId, userId),
        formers.has(groupId, userId),
      ]);
      // Their removal may not be completed yet.
      if (wasMember && !(await revokeGrants(groupId, userId))) throw outdated();
      const member = await members.insert(groupId, userId, { mutedUntil });
      if (member === null) return null;
      // The user is now a member, so the following checks must complete.
      return withoutDeadline(() => welcome(groupId, userId, askedAtMs));
    },
  };
}
