import { ResponseBudget, type Handlers, invalid, type ServiceError } from "@fanfare/kernel";
import { type Services, type ChannelState, LIMITS, type Result } from "@fanfare/contract";
import { requireActor, sees, subjectOf } from "../subjects.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { activityCursorOf, parseActivityCursor } from "../activity.ts";
import { presentChannel, presentChannelState } from "../group.presenter.ts";
import type { ChannelDocument } from "./channel.model.ts";

/** Maximum of threads in one page. */
const THREADS = 500;
const CHANNELS = 100;
const BEFORE_ALL = "0".repeat(24);

/** Where a page continues in a group whose channels are already listed. */
interface ThreadPosition {
  parentId: string;
  threadId: string;
}

/** Bounds the size of one database result. */
const GROUPS_PER_QUERY = 10;

const UNUSED = { head: { seq: 0, rev: 0 }, lastReadSeq: 0 };

export function listChannelActions(dependencies: GroupDependencies): Handlers {
  const { members, groups, directs } = dependencies;
  return {
    "channel.list": async ({ params: { groupId, afterChannelId = "" }, actor, services }) => {
      const [own, listed] = await Promise.all([
        requireActor(dependencies, groupId, actor.userId),
        dependencies.channels.listOfGroup(groupId),
      ]);
      const seen = listed.filter((channel) => channel._id > afterChannelId && sees(own.subject, channel));
      const states = await channelStates(services, actor.userId, seen);
      // Sorted by id, because positions can change between two pages.
      const byId = states.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const page = new Set(new ResponseBudget().takeWhileFits(byId));
      return {
        channels: states.filter((state) => page.has(state)),
        nextChannelId: page.size < byId.length ? byId[page.size - 1]!.id : null,
      };
    },

    "channel.listNames": async ({ params: { channelIds } }) => listNames(dependencies, channelIds),

    "group.listOwnChannels": async ({ params: { userId, of, cursor } }) =>
      of === "groups" ? listOfGroups(dependencies, userId, cursor) : listDirect(dependencies, userId, cursor),

    "group.listPlaces": async ({ params: { userId } }) => ({ places: await members.listPlaces(userId) }),

    /** The cost depends on the number of channels in the user's groups, not on their messages. */
    "group.listUserChannels": async ({ params: { userId, cursor } }) => {
      const [ofGroups, directIds] = await Promise.all([
        members.listPlaces(userId),
        cursor === null ? directs.listIds(userId) : [],
      ]);
      const places = ofGroups
        .filter(({ groupId }) => cursor === null || groupId > cursor)
        .sort((a, b) => (a.groupId < b.groupId ? -1 : 1));
      const channels: Result<"group.listUserChannels">["channels"] = directIds.map((channelId) => ({
        channelId,
        groupId: null,
      }));
      let at = 0;
      while (at < places.length && channels.length < LIMITS.channelsPerUnreadPage) {
        const some = places.slice(at, (at += GROUPS_PER_QUERY));
        const groupIds = some.map(({ groupId }) => groupId);
        const [owners, found] = await Promise.all([
          groups.listOwners(groupIds),
          dependencies.channels.listSeen(groupIds),
        ]);
        const subjects = new Map(
          some.map((place) => [
            place.groupId,
            subjectOf(userId, place, owners.get(place.groupId) === userId),
          ]),
        );
        for (const channel of found) {
          const groupId = channel.groupId!;
          if (channel.kind === "section" || !owners.has(groupId)) continue;
          if (!sees(subjects.get(groupId)!, channel)) continue;
          channels.push({ channelId: channel._id, groupId });
        }
      }
      return {
        channels,
        places: places.slice(0, at),
        nextCursor: at < places.length ? places[at - 1]!.groupId : null,
      };
    },
  };
}

/**
 * Lists the user's current and former groups one by one: first the channels of a group, then its threads page by page. The
 * cursor contains the group and, while threads follow, the last thread with its channel. Direct channels that the user has left
 * are listed like groups.
 */
async function listOfGroups(
  dependencies: GroupDependencies,
  userId: string,
  cursor: string | null,
): Promise<Result<"group.listOwnChannels">> {
  const [at, after] = parse(cursor);
  const groupId = after === null ? await nextGroup(dependencies, userId, at) : at;
  if (groupId === null) return { channelIds: [], nextCursor: null };
  const inGroup = await dependencies.channels.listOfGroup(groupId);
  const places = inGroup.map(({ _id }) => _id).sort();
  if (places.length === 0 && (await isLeftDirect(dependencies, groupId, userId)))
    return { channelIds: [groupId], nextCursor: groupId };
  if (after === null) return { channelIds: places, nextCursor: `${groupId}-${BEFORE_ALL}-${BEFORE_ALL}` };
  const { threadIds, next } = await listThreads(dependencies, places, after);
  const nextCursor = next === null ? groupId : `${groupId}-${next.parentId}-${next.threadId}`;
  return { channelIds: threadIds, nextCursor };
}

/** Includes closed ones. */
async function listDirect(
  { directs }: Pick<GroupDependencies, "directs">,
  userId: string,
  cursor: string | null,
): Promise<Result<"group.listOwnChannels">> {
  if (cursor !== null && !/^\d{1,15}-[0-9a-f]{24}$/.test(cursor)) throw badCursor();
  const found = await directs.listOf(
    userId,
    cursor === null ? undefined : parseActivityCursor(cursor),
    CHANNELS,
  );
  const alive = found.filter(({ deletedAt }) => deletedAt === undefined);
  return {
    channelIds: alive.map(({ _id }) => _id),
    nextCursor: found.length === CHANNELS ? activityCursorOf(found.at(-1)!) : null,
  };
}

/** False for a channel that the user has rejoined: it is listed with the direct ones. */
async function isLeftDirect(
  { channels }: Pick<GroupDependencies, "channels">,
  id: string,
  userId: string,
): Promise<boolean> {
  const channel = await channels.find(id);
  return channel !== null && !presentChannel(channel).memberIds.includes(userId);
}

async function listThreads(
  { threads }: Pick<GroupDependencies, "threads">,
  places: readonly string[],
  { parentId: first, threadId }: ThreadPosition,
): Promise<{ threadIds: string[]; next: ThreadPosition | null }> {
  const left = places.filter((id) => id >= first);
  const threadIds: string[] = [];
  for (const parentId of left.slice(0, CHANNELS)) {
    const afterId = parentId === first ? threadId : null;
    const found = await threads.listPageOf(parentId, afterId, THREADS - threadIds.length);
    threadIds.push(...found.map(({ _id }) => _id));
    if (threadIds.length === THREADS) return { threadIds, next: { parentId, threadId: threadIds.at(-1)! } };
  }
  const following = left[CHANNELS];
  return { threadIds, next: following === undefined ? null : { parentId: following, threadId: BEFORE_ALL } };
}

async function nextGroup(
  { members, formers }: Pick<GroupDependencies, "members" | "formers">,
  userId: string,
  afterId: string | null,
): Promise<string | null> {
  const [current, [former]] = await Promise.all([
    members.listGroupIds(userId),
    formers.listGroupIds(userId, afterId, 1),
  ]);
  const later = current.filter((id) => afterId === null || id > afterId);
  const [first] = (former === undefined ? later : [...later, former]).toSorted((a, b) => (a < b ? -1 : 1));
  return first ?? null;
}

function parse(cursor: string | null): [groupId: string | null, after: ThreadPosition | null] {
  if (cursor === null) return [null, null];
  const [, groupId, parentId, threadId] =
    /^([0-9a-f]{24})(?:-([0-9a-f]{24})-([0-9a-f]{24}))?$/.exec(cursor) ?? [];
  if (groupId !== undefined)
    return [groupId, parentId === undefined || threadId === undefined ? null : { parentId, threadId }];
  throw badCursor();
}

function badCursor(): ServiceError {
  return invalid("cursor", "must be a cursor of the page before");
}

/** Channels as one user sees them, with their heads from a single call to the message service. */
export async function channelStates(
  services: Services,
  userId: string,
  channels: readonly ChannelDocument[],
): Promise<ChannelState[]> {
  if (channels.length === 0) return [];
  const channelIds = channels.map(({ _id }) => _id);
  const { heads } = await services.message.listHeads({ userId, channelIds });
  const byId = new Map(heads.map((head) => [head.channelId, head]));
  return channels.map((channel) => presentChannelState(channel, byId.get(channel._id) ?? UNUSED));
}

async function listNames(
  { channels, groups }: GroupDependencies,
  channelIds: readonly string[],
): Promise<Result<"channel.listNames">> {
  const find = async (ids: readonly string[]): Promise<ChannelDocument[]> =>
    (await Promise.all(ids.map((id) => channels.find(id)))).filter((channel) => channel !== null);
  const groupIdOf = ({ groupId, parentGroupId }: ChannelDocument) => groupId ?? parentGroupId;
  const found = await find(channelIds);
  const [parents, named] = await Promise.all([
    find(found.flatMap(({ parentId }) => parentId ?? [])),
    groups.findMany([...new Set(found.flatMap((channel) => groupIdOf(channel) ?? []))]),
  ]);
  return {
    channels: found.flatMap((channel) => {
      const group = named.find(({ _id }) => _id === groupIdOf(channel));
      if (group === undefined) return [];
      // A thread without a name is called like its channel.
      const name = channel.name || (parents.find(({ _id }) => _id === channel.parentId)?.name ?? "");
      return [{ channelId: channel._id, name, groupName: group.name }];
    }),
  };
}
