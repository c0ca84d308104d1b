import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";

/** Threads of one answer. */
const THREADS = 500;
const BEFORE_ALL = "0".repeat(24);

/**
 * One group after the other, those that the user is or was in: first its channels, then page by page their threads. A cursor is the group, and
 * the last thread of it; without one the group is done.
 */
export function listOwnChannels(dependencies: GroupDependencies): Handler<"group.listOwnChannels"> {
  const { channels, threads } = dependencies;
  return async ({ params: { userId, cursor } }) => {
    const [at, afterThreadId] = parse(cursor);
    const groupId = afterThreadId === null ? await nextGroup(dependencies, userId, at) : at;
    if (groupId === null) return { channelIds: [], nextCursor: null };
    const places = await channels.listOfGroup(groupId);
    const placeIds = places.map(({ _id }) => _id.toHexString());
    if (afterThreadId === null) return { channelIds: placeIds, nextCursor: `${groupId}-${BEFORE_ALL}` };
    const found = await threads.listPageOf(placeIds, afterThreadId, THREADS);
    const last = found.length === THREADS ? found.at(-1) : undefined;
    return {
      channelIds: found.map(({ _id }) => _id.toHexString()),
      nextCursor: last === undefined ? groupId : `${groupId}-${last._id.toHexString()}`,
    };
  };
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

function parse(cursor: string | null): [groupId: string | null, afterThreadId: string | null] {
  if (cursor === null) return [null, null];
  const [, groupId, threadId] = /^([0-9a-f]{24})(?:-([0-9a-f]{24}))?$/.exec(cursor) ?? [];
  if (groupId !== undefined) return [groupId, threadId ?? null];
  const issues = [{ path: "cursor", message: "must be a cursor of the page before" }];
  throw serviceError("VALIDATION_FAILED", { issues });
}
