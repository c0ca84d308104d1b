import { LIMITS, type Result } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { ownSubjects } from "../own-subjects.ts";
import { sees } from "../subjects.ts";

/** Bounds one answer of the database. */
const GROUPS_PER_QUERY = 10;

export function listPlaces({ members }: GroupDependencies): Handler<"group.listPlaces"> {
  return async ({ params: { userId } }) => ({ places: await members.listPlaces(userId) });
}

/** What it costs depends on the channels of the user's groups, and on nothing that is in them. */
export function listUserChannels(dependencies: GroupDependencies): Handler<"group.listUserChannels"> {
  const { groups, directs } = dependencies;
  return async ({ params: { userId, cursor } }) => {
    const places = await dependencies.members.listPlaces(userId);
    const subjects = await ownSubjects(dependencies, userId, places);
    const [living, directIds] = await Promise.all([
      groups.findMany([...subjects.keys()]),
      cursor === null ? directs.listIds(userId) : [],
    ]);
    const groupIds = living
      .map(({ _id }) => _id.toHexString())
      .filter((id) => cursor === null || id > cursor)
      .sort();
    const channels: Result<"group.listUserChannels">["channels"] = directIds.map((channelId) => ({
      channelId,
      groupId: null,
    }));
    let at = 0;
    while (at < groupIds.length && channels.length < LIMITS.channelsPerUnreadPage) {
      const some = groupIds.slice(at, (at += GROUPS_PER_QUERY));
      for (const channel of await dependencies.channels.listSeen(some)) {
        const groupId = channel.groupId!.toHexString();
        if (channel.kind === "section" || !sees(subjects.get(groupId)!, channel)) continue;
        channels.push({ channelId: channel._id.toHexString(), groupId });
      }
    }
    return { channels, nextCursor: at < groupIds.length ? groupIds[at - 1]! : null };
  };
}
