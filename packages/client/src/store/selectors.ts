import type {
  Channel,
  ChannelState,
  Emoji,
  Friend,
  FriendRequest,
  Group,
  InboxItem,
  Member,
  Message,
  NotificationSetting,
  Role,
  Result,
  SavedMessage,
  ScheduledMessage,
  UnreadChannel,
} from "@fanfare/contract";
import { type ClientState, DIRECT_REPORTS, type Table } from "./state.ts";

/*
 * Selectors return the same object until its content changes, so that a user interface can compare by identity.
 */

/** Computes once for each table. */
function once<K extends object, V>(make: (table: K) => V): (table: K) => V {
  const cache = new WeakMap<K, V>();
  return (table) => {
    const value = cache.get(table) ?? make(table);
    cache.set(table, value);
    return value;
  };
}

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

const oldestFirst = once((groups: Table<Group>): readonly Group[] =>
  Object.values(groups).sort((a, b) => a.createdAt.localeCompare(b.createdAt) || byId(a, b)),
);

/** The user's groups, oldest first. */
export function groupsOf({ groups }: ClientState): readonly Group[] | undefined {
  return groups === null ? undefined : oldestFirst(groups);
}

const highestFirst = once((roles: Table<Role>): readonly Role[] =>
  Object.values(roles).sort((a, b) => b.position - a.position || byId(b, a)),
);

/** The roles of a group, highest first. */
export function rolesOf({ roles }: ClientState, groupId: string): readonly Role[] | undefined {
  const existing = roles[groupId];
  return existing && highestFirst(existing);
}

const byName = once((emoji: Table<Emoji>): readonly Emoji[] =>
  Object.values(emoji).sort((a, b) => (a.name < b.name ? -1 : 1)),
);

/** A group's own emoji, stickers and GIFs, in the order of their names. */
export function emojiOf({ emoji }: ClientState, groupId: string): readonly Emoji[] | undefined {
  const existing = emoji[groupId];
  return existing && byName(existing);
}

/** Channels ordered by position, then by age. */
export function byPosition(a: Channel, b: Channel): number {
  return a.position - b.position || byId(a, b);
}

const channelsByGroup = once((channels: Table<Channel>): ReadonlyMap<string, readonly Channel[]> => {
  const groups = new Map<string, Channel[]>();
  for (const channel of Object.values(channels)) {
    if (channel.groupId === null || channel.kind === "thread") continue;
    const list = groups.get(channel.groupId);
    if (list === undefined) groups.set(channel.groupId, [channel]);
    else list.push(channel);
  }
  for (const list of groups.values()) list.sort(byPosition);
  return groups;
});

const NO_CHANNELS: readonly Channel[] = [];

/** The visible sections and text channels of a group, ordered by position. */
export function channelsOf(state: ClientState, groupId: string): readonly ChannelState[] | undefined {
  const channels = plainChannelsOf(state, groupId);
  return channels && statesOf(state, channels);
}

/** The same without their numbers, which change with each message. */
export function plainChannelsOf(
  { listedGroups, channels }: ClientState,
  groupId: string,
): readonly Channel[] | undefined {
  if (listedGroups[groupId] === undefined) return undefined;
  return channelsByGroup(channels).get(groupId) ?? NO_CHANNELS;
}

const directsByList = new WeakMap<
  readonly string[],
  { channels: Table<Channel>; list: readonly Channel[] }
>();

/** The open direct channels, most recent message first. */
export function directsOf(state: ClientState): readonly ChannelState[] | undefined {
  const { directs, channels } = state;
  if (directs === null) return undefined;
  let existing = directsByList.get(directs);
  if (existing?.channels !== channels) {
    existing = { channels, list: directs.flatMap((id) => channels[id] ?? []) };
    directsByList.set(directs, existing);
  }
  return statesOf(state, existing.list);
}

const statesByList = new WeakMap<readonly Channel[], readonly ChannelState[]>();

function statesOf(state: ClientState, channels: readonly Channel[]): readonly ChannelState[] {
  const existing = statesByList.get(channels);
  const states = channels.map((channel) => withNumbers(state, channel));
  if (existing !== undefined && states.every((one, index) => one === existing[index])) return existing;
  statesByList.set(channels, states);
  return states;
}

const numbered = new WeakMap<Channel, ChannelState>();
const NO_HEAD = { seq: 0, rev: 0 };

function withNumbers({ heads, lastReadSeqs }: ClientState, channel: Channel): ChannelState {
  const head = heads[channel.id] ?? NO_HEAD;
  const lastReadSeq = lastReadSeqs[channel.id] ?? 0;
  const existing = numbered.get(channel);
  if (existing?.head === head && existing.lastReadSeq === lastReadSeq) return existing;
  const fresh = { ...channel, head, lastReadSeq };
  numbered.set(channel, fresh);
  return fresh;
}

/** A known channel: of a group, direct, or a thread. */
export function channelOf(state: ClientState, channelId: string): ChannelState | undefined {
  const channel = state.channels[channelId];
  return channel && withNumbers(state, channel);
}

const membersById = once((members: Table<Member>): readonly Member[] =>
  Object.values(members).sort((a, b) => (a.userId < b.userId ? -1 : 1)),
);

/** The known members of a group, ordered by user id. */
export function membersOf({ members }: ClientState, groupId: string): readonly Member[] | undefined {
  const existing = members[groupId];
  return existing && membersById(existing);
}

/** Unread counts. */
export interface Unread {
  /** Unread messages, including the user's own from other sessions. */
  messages: number;
  /** Unread messages that mention the user; 100 means 100 or more. */
  mentions: number;
}

const NOTHING: Unread = { messages: 0, mentions: 0 };

interface UnreadLists {
  channels: readonly UnreadChannel[];
  byChannel: ReadonlyMap<string, Unread>;
  byGroup: ReadonlyMap<string | null, Unread>;
}

const unreadLists = once((unread: Table<UnreadChannel>) =>
  once((settings: Table<NotificationSetting>) => unreadListsOf(unread, settings)),
);

const NO_SETTINGS: Table<NotificationSetting> = {};

function listsOf(unread: Table<UnreadChannel>, { notifications }: ClientState): UnreadLists {
  return unreadLists(unread)(notifications ?? NO_SETTINGS);
}

function unreadListsOf(unread: Table<UnreadChannel>, settings: Table<NotificationSetting>): UnreadLists {
  const channels = Object.values(unread);
  const byChannel = new Map<string, Unread>();
  const byGroup = new Map<string | null, Unread>();
  for (const { channelId, groupId, head, lastReadSeq, mentionCount } of channels) {
    const one = { messages: head.seq - lastReadSeq, mentions: mentionCount };
    const before = byGroup.get(groupId) ?? NOTHING;
    byChannel.set(channelId, one);
    byGroup.set(groupId, {
      messages: before.messages + (settings[channelId]?.hidden === true ? one.mentions : one.messages),
      mentions: before.mentions + one.mentions,
    });
  }
  return { channels, byChannel, byGroup };
}

/** All channels, followed threads and direct channels with unread messages. */
export function unreadChannels(state: ClientState): readonly UnreadChannel[] | undefined {
  return state.unread === null ? undefined : listsOf(state.unread, state).channels;
}

export function unreadInChannel(state: ClientState, channelId: string): Unread {
  return (state.unread && listsOf(state.unread, state).byChannel.get(channelId)) ?? NOTHING;
}

/** Total of all channels of a group; null: of all direct channels. Hidden channels count with their mentions only. */
export function unreadInGroup(state: ClientState, groupId: string | null): Unread {
  return (state.unread && listsOf(state.unread, state).byGroup.get(groupId)) ?? NOTHING;
}

const friendsList = once((friends: Table<Friend>): readonly Friend[] => Object.values(friends));

export function friendsOf({ friends }: ClientState): readonly Friend[] | undefined {
  return friends === null ? undefined : friendsList(friends);
}

const newestFirst = once((requests: Table<FriendRequest>): readonly FriendRequest[] =>
  Object.values(requests).sort((a, b) => b.requestedAt.localeCompare(a.requestedAt)),
);

/** The friend requests that the user has received and sent, newest first. */
export function friendRequestsOf({ friendRequests }: ClientState): readonly FriendRequest[] | undefined {
  return friendRequests === null ? undefined : newestFirst(friendRequests);
}

const settingsList = once((settings: Table<NotificationSetting>): readonly NotificationSetting[] =>
  Object.values(settings),
);

/** The notification settings that differ from the default. */
export function notificationSettings({
  notifications,
}: ClientState): readonly NotificationSetting[] | undefined {
  return notifications === null ? undefined : settingsList(notifications);
}

/** The current versions of listed messages, without deleted ones. */
export function latestMessages({ messages }: ClientState, listed: readonly Message[]): Message[] {
  return listed.map((message) => latest(messages, message)).filter(({ deletedAt }) => deletedAt === null);
}

function latest(messages: Table<Message>, listed: Message): Message {
  const existing = messages[listed.id];
  return existing !== undefined && existing.rev > listed.rev ? existing : listed;
}

/** The current versions of listed inbox items. */
export function inboxItems(state: ClientState, listed: readonly InboxItem[]): InboxItem[] {
  const { readUpToId = null, clearedUpToId = null } = state.inboxMarker ?? {};
  return listed.flatMap((item) => {
    const message = latest(state.messages, item.message);
    if (message.deletedAt !== null || message.id <= (clearedUpToId ?? "")) return [];
    const isRead =
      message.id <= (readUpToId ?? "") || message.seq <= (state.lastReadSeqs[message.channelId] ?? 0);
    const unread = item.unread && !isRead;
    return [withChanges(item, message, unread)];
  });
}

const changedItems = new WeakMap<InboxItem, InboxItem>();

function withChanges(item: InboxItem, message: Message, unread: boolean): InboxItem {
  if (message === item.message && unread === item.unread) return item;
  const existing = changedItems.get(item);
  if (existing?.message === message && existing.unread === unread) return existing;
  const changed = { ...item, message, unread };
  changedItems.set(item, changed);
  return changed;
}

/** The number of saved messages whose reminder is past. */
export function dueCount(saved: Table<SavedMessage>, nowMs: number): number {
  return Object.values(saved).filter(({ remindAt }) => remindAt !== null && Date.parse(remindAt) <= nowMs)
    .length;
}

const scheduledList = once((scheduled: Table<ScheduledMessage>): readonly ScheduledMessage[] =>
  Object.values(scheduled).sort((a, b) => (a.sendAt < b.sendAt ? -1 : 1)),
);

/** The scheduled messages, next one first. */
export function scheduledMessages({ scheduled }: ClientState): readonly ScheduledMessage[] | undefined {
  return scheduled === null ? undefined : scheduledList(scheduled);
}

export type SavedItem = Result<"saved.listMessages">["items"][number];

/** The listed messages that are still saved, in their current version. */
export function savedItems(state: ClientState, listed: readonly SavedItem[]): SavedItem[] {
  return listed.flatMap((item) => {
    const message = latest(state.messages, item.message);
    if (message.deletedAt !== null || (state.saved !== null && state.saved[message.id] === undefined))
      return [];
    return [message === item.message ? item : { ...item, message }];
  });
}

/** How many users ask to join the group, for its moderators. */
export function openJoinRequestsOf({ openJoinRequests }: ClientState, groupId: string): number | undefined {
  return openJoinRequests[groupId];
}

/** How many reported messages wait for the user as a moderator of the group, or for null as an admin; 100 means 100 or more. */
export function openReportsOf({ openReports }: ClientState, groupId: string | null): number | undefined {
  return openReports[groupId ?? DIRECT_REPORTS];
}
