import { groupRoom, type Member } from "@fanfare/contract";
import type { Publish } from "@fanfare/kernel";

/** A group hears of newcomers and leavers at most this often, so that a crowd that joins does not make a crowd of events. */
const GATHER_MS = 250;
/** Of a crowd this many are listed; the count is always right. */
const MAX_LISTED = 50;

export interface AnnouncerOptions {
  publish: Publish;
  /** undefined when the group is gone. */
  readMemberCount: (groupId: string) => Promise<number | undefined>;
  onError: (error: unknown) => void;
}

/** By user id: a member who came, or null for one who left. The last of several changes counts. */
type Changes = Map<string, Member | null>;

export type MemberAnnouncer = ReturnType<typeof createMemberAnnouncer>;

/** Publishes `member.joined` and `member.left`: the first change at once, those that follow soon after together. */
export function createMemberAnnouncer({ publish, readMemberCount, onError }: AnnouncerOptions) {
  const gathering = new Map<string, Changes>();
  const timers = new Map<string, NodeJS.Timeout>();

  const announce = async (groupId: string, changes: Changes): Promise<void> => {
    const memberCount = await readMemberCount(groupId);
    if (memberCount === undefined) return;
    const members = [...changes.values()].filter((member) => member !== null);
    const userIds = [...changes].filter(([, member]) => member === null).map(([userId]) => userId);
    const room = groupRoom(groupId);
    if (userIds.length > 0) publish(room, "member.left", { groupId, userIds, memberCount });
    if (members.length > 0) publish(room, "member.joined", { groupId, members, memberCount });
  };

  const openWindow = (groupId: string, changes: Changes): void => {
    gathering.set(groupId, new Map());
    timers.set(
      groupId,
      setTimeout(() => closeWindow(groupId), GATHER_MS),
    );
    announce(groupId, changes).catch(onError);
  };

  const closeWindow = (groupId: string): void => {
    const changes = gathering.get(groupId);
    gathering.delete(groupId);
    timers.delete(groupId);
    if (changes !== undefined && changes.size > 0) openWindow(groupId, changes);
  };

  const add = (groupId: string, userId: string, change: Member | null): void => {
    const changes = gathering.get(groupId);
    if (changes === undefined) return openWindow(groupId, new Map([[userId, change]]));
    if (changes.size < MAX_LISTED || changes.has(userId)) changes.set(userId, change);
  };

  return {
    joined: (member: Member) => add(member.groupId, member.userId, member),
    left: (groupId: string, userId: string) => add(groupId, userId, null),
    /** Drops what is still being gathered: clients read the members anew when they reconnect. */
    stop(): void {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      gathering.clear();
    },
  };
}
