import { type EventPayload, groupRoom, roleRoom, type Subject, userRoom } from "@fanfare/contract";
import { type NodeContext, serviceError, withoutDeadline } from "@fanfare/kernel";
import { ownRooms } from "../channel/rooms.ts";
import type { GroupRepositories } from "../group.dependencies.ts";
import { presentChannel, presentMute } from "../group.presenter.ts";
import type { MemberAnnouncer } from "./member-announcer.ts";
import type { MemberCountCheck } from "./member-count-check.ts";
import { loadMember, newcomer, sees } from "../subjects.ts";
import { keysOfSubject } from "../channel/view-keys.ts";
import type { DepartureDocument } from "./departure.repository.ts";
import type { GroupDocument } from "./group.repository.ts";
import type { MemberDocument } from "./member.repository.ts";

/** Each further round answers another change of the same member that came in between. */
const MAX_SETTLE_ROUNDS = 5;
/** Longer than clocks of a cluster's machines may differ: a user who leaves and joins at once succeeds then. */
const OUTDATED_RETRY_MS = 1000;

type LeaveReason = EventPayload<"group.left">["reason"];
type Removal = "removed" | "not a member" | "is the owner";

interface MembershipOptions extends Pick<
  GroupRepositories,
  "groups" | "channels" | "members" | "mutes" | "bans" | "departures" | "formers" | "roles" | "overrides"
> {
  node: NodeContext;
  announcer: MemberAnnouncer;
  memberCounts: MemberCountCheck;
}

export type Membership = ReturnType<typeof createMembership>;

/** A call that waited while a newer one decided about the same membership: the user can ask again, knowing of that. */
export const outdated = () => serviceError("UNAVAILABLE", { retryAfterMs: OUTDATED_RETRY_MS });

/** The ways into a group and out of it, with everything that has to happen along. */
export function createMembership({
  node,
  groups,
  channels,
  members,
  mutes,
  bans,
  departures,
  formers,
  roles,
  overrides,
  announcer,
  memberCounts,
}: MembershipOptions) {
  /** Every process drops the cached permissions of the user, or of all members if userId is null; this one before anything else runs. */
  const forget = (groupId: string, userId: string | null): void => {
    node.access.invalidate(groupId, userId);
    node.broadcast("access.changed", { groupId, userId });
  };

  const loadSubject = async (groupId: string, userId: string): Promise<Subject> =>
    (await loadMember({ groups, members, roles }, groupId, userId))?.subject ?? newcomer(userId);

  /**
   * In this order: who fills the room of a channel looks for sockets in the rooms of the group and of roles, after storing
   * that there is such a room.
   */
  const enterRooms = async (groupId: string, subject: Subject): Promise<void> => {
    const user = userRoom(subject.userId);
    node.fanout.socketsJoin(user, [groupRoom(groupId), ...subject.roles.map(({ id }) => roleRoom(id))]);
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
   * Brings the user's sockets in or out, and looks again: of a join and a kick at the same time, whichever is stored last
   * decides where the sockets end.
   * @param known who joins, where that needs no look-up
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

  /** After a user got or lost a role or the ownership: moves their sockets, and notifies them of channels that appear or disappear. */
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
      if (seesNow && !saw) await tellFound(user, channel._id);
      if (!seesNow) node.fanout.socketsLeave(user, ownRooms(channel));
      if (!seesNow && saw) {
        node.publish(user, "channel.deleted", { groupId, channelId: channel._id });
      }
    }
  };

  const tellFound = async (room: string, channelId: string): Promise<void> => {
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

  const tellLeft = (groupId: string, userId: string, reason: LeaveReason): void => {
    node.publish(userRoom(userId), "group.left", { groupId, reason });
    announcer.changed(groupId, userId);
  };

  /** @throws {ServiceError} UNAVAILABLE when the user was removed, or has left, after `askedAtMs` */
  const refuseOutdatedJoin = async (groupId: string, userId: string, askedAtMs: number): Promise<void> => {
    if (await formers.hasLeftSince(groupId, userId, askedAtMs)) throw outdated();
  };

  /** The departure is noted first and forgotten last: in between another call, or another process, can finish it. */
  const remove = async (groupId: string, userId: string, reason: LeaveReason): Promise<Removal> => {
    const member = await members.find(groupId, userId);
    if (member !== null)
      await Promise.all([keepMute(groupId, userId, member), formers.note(groupId, userId)]);
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
    // The group was given to this member after the caller had looked who the owner is: an owner stays a member.
    const isOwner = group?.ownerId === userId;
    if (isOwner) await restore(groupId, userId, removed);
    // Unless an invite has let the user in again meanwhile.
    else if (!isMember) tellLeft(groupId, userId, reason);
    if (departure !== null) await departures.remove(departure);
    memberCounts.checkOnce(groupId);
    return isOwner ? "is the owner" : "removed";
  };

  /** Repeats all steps after the removal of a member: the process that began them may have died at any point. */
  const finish = async (departure: DepartureDocument): Promise<void> => {
    const [groupId, userId] = [departure.groupId, departure.userId];
    forget(groupId, userId);
    const isMember = await settleRooms(groupId, userId, await members.exists(groupId, userId));
    if (!isMember) tellLeft(groupId, userId, departure.reason);
    await departures.remove(departure);
    memberCounts.checkAgain(groupId);
  };

  /** Before the member is removed: members who leave and rejoin at once stay muted. */
  const keepMute = async (
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

  /** The rest of `admit`, for a member who is stored. */
  const welcome = async (groupId: string, userId: string, askedAtMs: number): Promise<GroupDocument> => {
    // Bans and departures are stored before the member is removed, so either this sees them or they see this member.
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
    refuseOutdatedJoin,
    remove,
    finish,

    /**
     * Makes a user a member. Notifying the user is left to the caller.
     * @param askedAtMs when the join was asked for, in milliseconds since the epoch
     * @returns the group as it is now, or null when the user was a member before
     * @throws {ServiceError} BANNED; INVITE_NOT_FOUND when the group was deleted or the user removed in the meantime;
     *   UNAVAILABLE when the user was removed after the join was asked for
     */
    async admit(groupId: string, userId: string, askedAtMs: number): Promise<GroupDocument | null> {
      const mutedUntil = await mutes.find(groupId, userId);
      const member = await members.insert(groupId, userId, { mutedUntil });
      if (member === null) return null;
      // From here on the user is a member, so the checks must not be cut off.
      return withoutDeadline(() => welcome(groupId, userId, askedAtMs));
    },
  };
}
