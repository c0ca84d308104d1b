import { useRoute } from "wouter";
import { ROUTES } from "../../routes.ts";

/** The channel in the address; `groupId` is null for a direct message. */
export interface Place {
  groupId: string | null;
  channelId: string | null;
}

/** The place in the address; null on pages outside groups and direct messages. */
export function usePlace(): Place | null {
  const [, channel] = useRoute(ROUTES.channel);
  const [, group] = useRoute(ROUTES.group);
  const [, direct] = useRoute(ROUTES.direct);
  if (channel !== null) return { groupId: channel.groupId, channelId: channel.channelId };
  if (group !== null) return { groupId: group.groupId, channelId: null };
  return direct === null ? null : { groupId: null, channelId: direct.channelId };
}

/** Whether the page has a message search. */
export function useHasSearch(): boolean {
  const [isInbox] = useRoute(ROUTES.inbox);
  const [isFriends] = useRoute(ROUTES.friends);
  const place = usePlace();
  return place !== null || isInbox || isFriends;
}
