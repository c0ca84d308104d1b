import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";

/** Threads of one answer, and channels whose threads are looked for in it. */
const THREADS = 500;
const CHANNELS = 100;
const BEFORE_ALL = "0".repeat(24);

/** In a group whose channels have been listed: behind which thread of which channel. */
interface ThreadPosition {
  parentId: string;
  threadId: string;
}

/**
 * One group after the other, those that the user is or was in: first its channels, then page by page their threads. A cursor is the group, and
 * the last thread with its channel; without these the group is done.
 */
export function listOwnChannels(dependencies: GroupDependencies): Handler<"group.listOwnChannels"> {
  const { channels } = dependencies;
  return async ({ params: { userId, cursor } }) => {
    const [at, after] = parse(cursor);
    const groupId = after === null ? await nextGroup(dependencies, userId, at) : at;
    if (groupId === null) return { channelIds: [], nextCursor: null };
    const places = (await channels.listOfGroup(groupId)).map(({ _id }) => _id.toHexString()).sort();
    if (after === null) return { channelIds: places, nextCursor: `${groupId}-${BEFORE_ALL}-${BEFORE_ALL}` };
    const { threadIds, next } = await listThreads(dependencies, places, after);
    const nextCursor = next === null ? groupId : `${groupId}-${next.parentId}-${next.threadId}`;
    return { channelIds: threadIds, nextCursor };
  };
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
    threadIds.push(...found.map(({ _id }) => _id.toHexString()));
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
  const issues = [{ path: "cursor", message: "must be a cursor of the page before" }];
  throw serviceError("VALIDATION_FAILED", { issues });
}
