import { LIMITS, type Result } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { subjectOf } from "../own-subjects.ts";
import { sees } from "../subjects.ts";

/** Bounds one answer of the database. */
const GROUPS_PER_QUERY = 10;

export function listPlaces({ members }: GroupDependencies): Handler<"group.listPlaces"> {
  return async ({ params: { userId } }) => ({ places: await members.listPlaces(userId) });
}

/** What it costs depends on the channels of the user's groups, and on nothing that is in them. */
export function listUserChannels(dependencies: GroupDependencies): Handler<"group.listUserChannels"> {
  const { groups, members, directs } = dependencies;
  return async ({ params: { userId, cursor } }) => {
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
        some.map((place) => [place.groupId, subjectOf(userId, place, owners.get(place.groupId) === userId)]),
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
  };
}
