import {
  type EventPayload,
  groupRoom,
  hidesFromSome,
  type Override,
  roleRoom,
  userRoom,
  viewers,
} from "@fanfare/contract";
import { type Handlers, type NodeContext, serviceError } from "@fanfare/kernel";
import {
  type ChannelDocument,
  isTextOrVoice,
  type OverrideSubdocument,
  viewKeysOf,
  viewKeysOfAll,
} from "./channel.model.ts";
import { roomInUse, roomToBe } from "./rooms.ts";
import type { GroupDependencies, GroupRepositories } from "../group.dependencies.ts";
import { presentChannel, presentOverrides } from "../group.presenter.ts";
import type { Membership } from "../group/membership.ts";
import { requireActor, sees } from "../subjects.ts";

/** A move is retried when the overrides of the channel change while it runs. */
const MAX_ROUNDS = 10;
/** A socket that connected during a move may have joined the old room, so viewers are added again after this time. */
const SECOND_PASS_MS = 1000;
/** By then, messages in flight to the old room have arrived. */
const LINGER_MS = 15_000;

interface ChannelMovesOptions extends GroupRepositories {
  node: NodeContext;
  membership: Pick<Membership, "forget">;
}

export type ChannelMoves = ReturnType<typeof createChannelMoves>;

/**
 * Changes who can see a channel. A private channel has its own room, and each change of its viewers creates a new one. The
 * viewers join the new room first; only then are events published there. So the new room contains exactly the sockets that can
 * see the channel. Members are addressed through the rooms of groups, roles and users: no step reads the members of a group or
 * role, and every process moves only its own sockets.
 */
export function createChannelMoves(options: ChannelMovesOptions) {
  const { node, groups, channels, members, overrides, membership } = options;
  const timers = new Set<NodeJS.Timeout>();

  const later = (delayMs: number, work: () => Promise<void>): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work().catch((error: unknown) => node.logger.warn({ err: error }, "background work failed"));
    }, delayMs);
    timers.add(timer.unref());
  };

  /** @param late also publish the channel to sockets that were still connecting when the room was filled */
  const joinViewers = async (
    channel: ChannelDocument,
    groupId: string,
    room: string,
    late = false,
  ): Promise<void> => {
    const sets = viewers(presentOverrides(channel));
    const join = (rooms: string[], notIn: readonly string[] = []): void => {
      const except = [...notIn, room];
      if (late) node.publish(rooms, "channel.created", { channel: presentChannel(channel) }, except);
      node.fanout.socketsJoin(rooms, [room], except);
    };
    const except = sets.exceptMemberIds.map(userRoom);
    join(sets.roleIds.map(roleRoom), except);
    if (sets.everyone) join([groupRoom(groupId)], [...sets.exceptRoleIds.map(roleRoom), ...except]);
    const owner = (await groups.find(groupId))?.ownerId;
    const named = [...sets.memberIds, ...(owner === undefined ? [] : [owner])];
    const before = await membersAmong(groupId, named);
    join(before.map(userRoom));
    // A user who was removed in the meantime may have left the room before joining it.
    const still = new Set(await membersAmong(groupId, before));
    node.fanout.socketsLeave(before.filter((id) => !still.has(id)).map(userRoom), [room]);
  };

  const joinLateViewers = (channel: ChannelDocument, groupId: string, room: string): void =>
    later(SECOND_PASS_MS, async () => {
      const now = await channels.find(channel._id);
      if (now !== null && now.roomRev === channel.roomRev) await joinViewers(now, groupId, room, true);
    });

  const membersAmong = async (groupId: string, userIds: readonly string[]): Promise<string[]> =>
    (await members.findMany(groupId, userIds)).map(({ userId }) => userId);

  const notify = (channel: ChannelDocument, groupId: string, from: string, to: string): void => {
    const channelId = channel._id;
    const presented = { channel: presentChannel(channel) };
    const ofGroup = groupRoom(groupId);
    if (to !== ofGroup) {
      node.publish(from, "channel.deleted", { groupId, channelId }, [to]);
      if (from !== ofGroup) node.fanout.socketsLeave(from, [from], [to]);
    }
    if (from !== ofGroup) node.publish(to, "channel.created", presented, [from]);
    node.publish(to, "channel.updated", presented);
    // New viewers also join the old room, because other processes still publish to it.
    if (to === ofGroup) node.fanout.socketsJoin(ofGroup, [from]);
    if (from !== ofGroup) later(LINGER_MS, async () => node.fanout.socketsLeave(from, [from]));
  };

  /** Idempotent: also completes a move that another process started. */
  const move = async (channelId: string): Promise<void> => {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const channel = await channels.find(channelId);
      if (channel?.movingSince === undefined || channel.groupId === undefined) return;
      const groupId = channel.groupId;
      const [from, to] = [roomInUse(channel), roomToBe(channel)];
      const isToGroup = to === groupRoom(groupId);
      if (!isToGroup) await joinViewers(channel, groupId, to);
      const moved = await overrides.finishMove(channel, isToGroup ? null : channel.overridesRev!);
      if (moved === null) continue;
      membership.forget(groupId, null);
      notify(moved, groupId, from, to);
      if (!isToGroup) joinLateViewers(moved, groupId, to);
      return;
    }
    throw serviceError("OVERLOADED", { retryAfterMs: SECOND_PASS_MS });
  };

  /** @returns null if the overrides were changed in the meantime */
  const tryChange = async (channel: ChannelDocument, next: OverrideSubdocument[]) => {
    const groupId = channel.groupId!;
    const wasPrivate = channel.roomRev !== undefined || channel.movingSince !== undefined;
    const viewKeys =
      viewKeysOf(groupId, presentOverrides({ overrides: next })) ??
      (wasPrivate ? viewKeysOfAll(groupId) : undefined);
    const changed = await overrides.change(channel, next, viewKeys);
    if (changed === null) return null;
    membership.forget(groupId, null);
    if (viewKeys === undefined) {
      node.publish(groupRoom(groupId), "channel.updated", { channel: presentChannel(changed) });
    } else await move(channel._id);
    return changed;
  };

  return {
    move,

    /**
     * @param edit computes the new overrides from the current ones; can be called several times
     * @returns the channel before and after
     * @throws {ServiceError} CHANNEL_NOT_FOUND; OVERLOADED when the overrides keep changing; errors from `edit`
     */
    async change(
      channelId: string,
      edit: (overrides: readonly OverrideSubdocument[], channel: ChannelDocument) => OverrideSubdocument[],
    ): Promise<{ before: ChannelDocument; after: ChannelDocument }> {
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const channel = await channels.find(channelId);
        if (channel?.groupId === undefined) throw serviceError("CHANNEL_NOT_FOUND");
        const changed = await tryChange(channel, edit(channel.overrides ?? [], channel));
        if (changed !== null) return { before: channel, after: changed };
      }
      throw serviceError("OVERLOADED", { retryAfterMs: SECOND_PASS_MS });
    },

    /** Fields that make a new channel private from the start. */
    initial(groupId: string, given: readonly Override[]): Partial<ChannelDocument> {
      const viewKeys = viewKeysOf(groupId, given);
      if (given.length === 0) return {};
      const stored = { overrides: given.map(asSubdocument), overridesRev: 1 };
      // No message can have been sent to it yet, so there is no old room to move from.
      return viewKeys === undefined ? stored : { ...stored, viewKeys, roomRev: 1 };
    },

    /** Adds the viewers of a new channel to its room and publishes it. */
    async open(channel: ChannelDocument): Promise<void> {
      const groupId = channel.groupId!;
      const room = roomInUse(channel);
      const isHidden = hidesFromSome(presentOverrides(channel));
      if (isHidden) {
        // It can be the group's first private channel.
        membership.forget(groupId, null);
        await joinViewers(channel, groupId, room);
      }
      node.publish(room, "channel.created", { channel: presentChannel(channel) });
      if (isHidden) joinLateViewers(channel, groupId, room);
    },

    stop(): void {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

export function asSubdocument({ target, allow, deny }: Override): OverrideSubdocument {
  return {
    type: target.type,
    ...(target.type !== "everyone" && { id: target.id }),
    allow,
    deny,
  };
}

type Places = EventPayload<"channel.reordered">["places"];

export function channelMoveActions(dependencies: GroupDependencies): Handlers {
  const { channels, audit } = dependencies;
  return {
    "channel.reorder": async ({ params: { groupId, places }, actor: { userId } }) => {
      const actor = await requireActor(dependencies, groupId, userId);
      const listed = await channels.listOfGroup(groupId);
      const seen = new Map(
        listed.filter((channel) => sees(actor.subject, channel)).map((channel) => [channel._id, channel]),
      );
      const isPossible = places.every(({ channelId, sectionId }) => {
        const channel = seen.get(channelId);
        if (channel === undefined) return false;
        return sectionId === null || (isTextOrVoice(channel) && seen.get(sectionId)?.kind === "section");
      });
      if (!isPossible) throw serviceError("CHANNEL_NOT_FOUND");
      const moved = places.filter((place) => isMoved(place, seen.get(place.channelId)!));
      if (moved.length === 0) return {};
      await channels.setPlaces(groupId, moved);
      publishPlaces(dependencies, groupId, moved, seen);
      await audit(groupId, userId, "channel.reorder", { after: { channels: moved.length } });
      return {};
    },
  };
}

/** Publishes to each room only the places of its own channels. */
export function publishPlaces(
  { node }: Pick<GroupDependencies, "node">,
  groupId: string,
  places: Places,
  channels: ReadonlyMap<string, ChannelDocument>,
): void {
  const byRoom = Map.groupBy(places, ({ channelId }) => roomInUse(channels.get(channelId)!));
  for (const [room, ofRoom] of byRoom) node.publish(room, "channel.reordered", { groupId, places: ofRoom });
}

function isMoved({ sectionId, position }: Places[number], channel: ChannelDocument): boolean {
  return channel.position !== position || (channel.sectionId ?? null) !== sectionId;
}
