import type { ActionName, Params, Result } from "@fanfare/contract";
import { PAGE_MAX_ITEMS } from "../limits.ts";
import { type ClientState, DIRECT_REPORTS } from "./state.ts";

/** For each result that the state holds completely and keeps up to date: whether it is loaded. */
export const LOADS = {
  "user.me": ({ me }) => me !== null,
  "group.listMine": ({ groups }) => groups !== null,
  "group.myPermissions": ({ permissions }, { groupId }) => permissions[groupId] !== undefined,
  "role.list": ({ roles }, { groupId }) => roles[groupId] !== undefined,
  "emoji.list": ({ emoji }, { groupId }) => emoji[groupId] !== undefined,
  "group.listNicknames": ({ nicknames }, { groupId }) => nicknames[groupId] !== undefined,
  "group.listMemberChanges": ({ memberChanges }, { groupId }) => memberChanges[groupId] !== undefined,
  "channel.list": ({ listedGroups }, { groupId }) => listedGroups[groupId] === true,
  "channel.get": ({ channels, lastReadSeqs }, { channelId }) =>
    channels[channelId] !== undefined && lastReadSeqs[channelId] !== undefined,
  "channel.listDirect": ({ directs }) => directs !== null,
  "channel.listUnread": ({ unread }) => unread !== null,
  "message.listPins": ({ pins }, { channelId }) => pins[channelId] !== undefined,
  "friend.list": ({ friends }) => friends !== null,
  "friend.listRequests": ({ friendRequests }) => friendRequests !== null,
  "notification.list": ({ notifications }) => notifications !== null,
  "notification.getPreferences": ({ notificationPreferences }) => notificationPreferences !== null,
  "scheduled.list": ({ scheduled }) => scheduled !== null,
  "call.list": ({ calls }) => calls !== null,
  "draft.list": ({ drafts }) => drafts !== null,
  "saved.list": ({ saved }) => saved !== null,
  "report.getOpenCount": ({ openReports }, { groupId }) => openReports[groupId] !== undefined,
  "join.listMine": ({ joinRequests }) => joinRequests !== null,
  "join.getOpenCount": ({ openJoinRequests }, { groupId }) => openJoinRequests[groupId] !== undefined,
  "admin.getOpenReportCount": ({ openReports }) => openReports[DIRECT_REPORTS] !== undefined,
  "inbox.getUnreadCount": ({ inboxUnread }) => inboxUnread !== null,
} satisfies { [N in ActionName]?: (state: ClientState, params: Params<N>) => boolean };

export type LoadName = keyof typeof LOADS;

/** How to load all pages of a list: the cursor's param and result field, and the field of the list. */
interface Pages<N extends LoadName> {
  param: keyof Params<N> & string;
  next: keyof Result<N> & string;
  list: keyof Result<N> & string;
  limit?: number;
}

const BY_CURSOR = { param: "cursor", next: "nextCursor" } as const;
const BY_COUNT = { param: "skip", next: "nextSkip" } as const;

/** The results that are lists with pages. */
export const PAGES: { [N in LoadName]?: Pages<N> } = {
  "channel.list": { param: "afterChannelId", next: "nextChannelId", list: "channels" },
  "channel.listDirect": { ...BY_CURSOR, list: "channels", limit: PAGE_MAX_ITEMS },
  "channel.listUnread": { ...BY_CURSOR, list: "channels" },
  "message.listPins": { ...BY_COUNT, list: "messages" },
  "friend.list": { ...BY_CURSOR, list: "friends", limit: PAGE_MAX_ITEMS },
  "friend.listRequests": { ...BY_CURSOR, list: "requests", limit: PAGE_MAX_ITEMS },
  "notification.list": { ...BY_CURSOR, list: "settings", limit: PAGE_MAX_ITEMS },
};
