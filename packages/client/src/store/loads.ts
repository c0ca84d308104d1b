import type { ActionName, Params, Result } from "@fanfare/contract";
import { PAGE_MAX_ITEMS } from "../limits.ts";
import { type ClientState, DIRECT_REPORTS } from "./state.ts";

/** How to load all pages of a list: the cursor's param and result field, and the field of the list. */
interface Pages<N extends ActionName> {
  param: keyof Params<N> & string;
  next: keyof Result<N> & string;
  list: keyof Result<N> & string;
  limit?: number;
}

interface Load<N extends ActionName> {
  isLoaded(state: ClientState, params: Params<N>): boolean;
  pages?: Pages<N>;
}

const load = <N extends ActionName>(
  isLoaded: (state: ClientState, params: Params<N>) => boolean,
  pages?: Pages<N>,
): Load<N> => ({ isLoaded, ...(pages !== undefined && { pages }) });

/** The results that the state holds completely and keeps up to date. */
export const LOADS = {
  "user.me": load<"user.me">(({ me }) => me !== null),
  "group.listMine": load<"group.listMine">(({ groups }) => groups !== null),
  "group.myPermissions": load<"group.myPermissions">(
    ({ permissions }, { groupId }) => permissions[groupId] !== undefined,
  ),
  "role.list": load<"role.list">(({ roles }, { groupId }) => roles[groupId] !== undefined),
  "emoji.list": load<"emoji.list">(({ emoji }, { groupId }) => emoji[groupId] !== undefined),
  "group.listNicknames": load<"group.listNicknames">(
    ({ nicknames }, { groupId }) => nicknames[groupId] !== undefined,
  ),
  "group.listMemberChanges": load<"group.listMemberChanges">(
    ({ memberChanges }, { groupId }) => memberChanges[groupId] !== undefined,
  ),
  "channel.list": load<"channel.list">(({ listedGroups }, { groupId }) => listedGroups[groupId] === true, {
    param: "afterChannelId",
    next: "nextChannelId",
    list: "channels",
  }),
  "channel.get": load<"channel.get">(
    ({ channels, lastReadSeqs }, { channelId }) =>
      channels[channelId] !== undefined && lastReadSeqs[channelId] !== undefined,
  ),
  "channel.listDirect": load<"channel.listDirect">(({ directs }) => directs !== null, {
    param: "cursor",
    next: "nextCursor",
    list: "channels",
    limit: PAGE_MAX_ITEMS,
  }),
  "channel.listUnread": load<"channel.listUnread">(({ unread }) => unread !== null, {
    param: "cursor",
    next: "nextCursor",
    list: "channels",
  }),
  "message.listPins": load<"message.listPins">(({ pins }, { channelId }) => pins[channelId] !== undefined, {
    param: "skip",
    next: "nextSkip",
    list: "messages",
  }),
  "friend.list": load<"friend.list">(({ friends }) => friends !== null, {
    param: "cursor",
    next: "nextCursor",
    list: "friends",
    limit: PAGE_MAX_ITEMS,
  }),
  "friend.listRequests": load<"friend.listRequests">(({ friendRequests }) => friendRequests !== null, {
    param: "cursor",
    next: "nextCursor",
    list: "requests",
    limit: PAGE_MAX_ITEMS,
  }),
  "notification.list": load<"notification.list">(({ notifications }) => notifications !== null, {
    param: "cursor",
    next: "nextCursor",
    list: "settings",
    limit: PAGE_MAX_ITEMS,
  }),
  "notification.getPreferences": load<"notification.getPreferences">(
    ({ notificationPreferences }) => notificationPreferences !== null,
  ),
  "scheduled.list": load<"scheduled.list">(({ scheduled }) => scheduled !== null),
  "call.list": load<"call.list">(({ calls }) => calls !== null),
  "draft.list": load<"draft.list">(({ drafts }) => drafts !== null),
  "saved.list": load<"saved.list">(({ saved }) => saved !== null),
  "report.getOpenCount": load<"report.getOpenCount">(
    ({ openReports }, { groupId }) => openReports[groupId] !== undefined,
  ),
  "join.listMine": load<"join.listMine">(({ joinRequests }) => joinRequests !== null),
  "join.getOpenCount": load<"join.getOpenCount">(
    ({ openJoinRequests }, { groupId }) => openJoinRequests[groupId] !== undefined,
  ),
  "admin.getOpenReportCount": load<"admin.getOpenReportCount">(
    ({ openReports }) => openReports[DIRECT_REPORTS] !== undefined,
  ),
  "inbox.getUnreadCount": load<"inbox.getUnreadCount">(({ inboxUnread }) => inboxUnread !== null),
};

export type LoadName = keyof typeof LOADS;
