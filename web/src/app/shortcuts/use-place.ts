import { useRoute } from "wouter";
import { ROUTES } from "../../routes.ts";

/** The channel that the address names; `groupId` null for a direct one. */
export interface Place {
  groupId: string | null;
  channelId: string | null;
}

/** Where the user is, by the address alone; null where that is in no group and no direct channel. */
export function usePlace(): Place | null {
  const [, channel] = useRoute(ROUTES.channel);
  const [, group] = useRoute(ROUTES.group);
  const [, direct] = useRoute(ROUTES.direct);
  if (channel !== null) return { groupId: channel.groupId, channelId: channel.channelId };
  if (group !== null) return { groupId: group.groupId, channelId: null };
  return direct === null ? null : { groupId: null, channelId: direct.channelId };
}

/** Whether messages can be searched beside what the address names. */
export function useHasSearch(): boolean {
  const [isInbox] = useRoute(ROUTES.inbox);
  const [isFriends] = useRoute(ROUTES.friends);
  const place = usePlace();
  return place !== null || isInbox || isFriends;
}
