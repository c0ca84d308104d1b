import type { Result } from "@fanfare/contract";
import { serviceError, type Handler, type ServiceError } from "@fanfare/kernel";
import { activityCursorOf, parseActivityCursor } from "../activity-cursor.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel } from "../group.presenter.ts";

/** Threads of one answer, and channels whose threads are looked for in it, or direct ones. */
const THREADS = 500;
const CHANNELS = 100;
const BEFORE_ALL = "0".repeat(24);

/** In a group whose channels have been listed: behind which thread of which channel. */
interface ThreadPosition {
  parentId: string;
  threadId: string;
}

export function listOwnChannels(dependencies: GroupDependencies): Handler<"group.listOwnChannels"> {
  return async ({ params: { userId, of, cursor } }) =>
    of === "groups" ? listOfGroups(dependencies, userId, cursor) : listDirect(dependencies, userId, cursor);
}

/**
 * One group after the other, those that the user is or was in: first its channels, then page by page their threads. A cursor is the group, and
 * the last thread with its channel; without these the group is done. Direct channels that the user has left stand among the groups.
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

/** Closed ones too. A cursor is where in the order of their last activity the page ended. */
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

/** One that the user has come back to is among the direct ones. */
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
  const issues = [{ path: "cursor", message: "must be a cursor of the page before" }];
  return serviceError("VALIDATION_FAILED", { issues });
}
