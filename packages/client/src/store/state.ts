import type {
  Channel,
  Emoji,
  Friend,
  FriendRequest,
  Group,
  Head,
  InboxMarker,
  Member,
  MemberChange,
  Message,
  Nickname,
  NotificationPreferences,
  NotificationSetting,
  OngoingCall,
  OwnJoinRequest,
  OwnUser,
  Result,
  Role,
  Draft,
  SavedMessage,
  ScheduledMessage,
  UnreadChannel,
  User,
} from "@fanfare/contract";

/** Values by id. */
export type Table<T> = Readonly<Record<string, T>>;

/**
 * The client's normalized copy of the server's data. `null`, or a missing entry in a table by group or channel, means not
 * loaded. Immutable: unchanged parts stay the same objects.
 */
export interface ClientState {
  /** The user of the connected session; null before the first connection. */
  readonly userId: string | null;
  readonly me: OwnUser | null;
  /** The groups the user is a member of. */
  readonly groups: Table<Group> | null;
  /** The profiles that results included or `store.requestUser` loaded: at most `MAX_USERS`, oldest dropped first. */
  readonly users: Table<User>;
  /** By group, then by role. */
  readonly roles: Table<Table<Role>>;
  /** By group, then by id: the group's own emoji, stickers and GIFs. */
  readonly emoji: Table<Table<Emoji>>;
  /** By group, then by user: the members that were listed or loaded. */
  readonly members: Table<Table<Member>>;
  /** By group, then by user: the nicknames and pictures in the group. */
  readonly nicknames: Table<Table<Nickname>>;
  /** By group: the latest joins and departures, newest first. */
  readonly memberChanges: Table<readonly MemberChange[]>;
  /** By group: the user's permissions there. */
  readonly permissions: Table<Result<"group.myPermissions">>;
  /** All known channels: of groups, direct channels and threads. */
  readonly channels: Table<Channel>;
  readonly heads: Table<Head>;
  readonly lastReadSeqs: Table<number>;
  /** The groups whose channels are all in `channels`. */
  readonly listedGroups: Table<true>;
  /** The ids of the open direct channels, most recent message first. */
  readonly directs: readonly string[] | null;
  /** By channel: unread counts. */
  readonly unread: Table<UnreadChannel> | null;
  /** By user. */
  readonly friends: Table<Friend> | null;
  /** By user. */
  readonly friendRequests: Table<FriendRequest> | null;
  /** By group: where the user asked to join, until approved. */
  readonly joinRequests: Table<OwnJoinRequest> | null;
  /** By group or channel: the settings that differ from the default. */
  readonly notifications: Table<NotificationSetting> | null;
  readonly notificationPreferences: NotificationPreferences | null;
  /** By channel: what the user has begun to write. */
  readonly drafts: Table<Draft> | null;
  /** By message: what the user saved for later. */
  readonly saved: Table<SavedMessage> | null;
  readonly scheduled: Table<ScheduledMessage> | null;
  /** By channel: the ongoing calls that the user can see. */
  readonly calls: Table<OngoingCall> | null;
  /** By group, or `DIRECT_REPORTS` for the admins: how many messages have open reports, at most 100. */
  readonly openReports: Table<number>;
  /** By group: how many users ask to join. */
  readonly openJoinRequests: Table<number>;
  /** The number of unread inbox items, at most 100. */
  readonly inboxUnread: number | null;
  readonly inboxMarker: InboxMarker | null;
  /** By channel: the pinned messages, most recently pinned first. */
  readonly pins: Table<readonly Message[]>;
  /** Messages that were listed outside of their channel, such as search results: at most `MAX_MESSAGES`, oldest dropped first. */
  readonly messages: Table<Message>;
  /** The last announcement of the admins; null before the first. */
  readonly announcement: { readonly text: string; readonly announcedAt: string } | null;
  /** The message of maintenance mode; null while it is off. */
  readonly maintenance: string | null;
}

export const EMPTY_STATE: ClientState = {
  userId: null,
  me: null,
  groups: null,
  users: {},
  roles: {},
  emoji: {},
  members: {},
  nicknames: {},
  memberChanges: {},
  permissions: {},
  channels: {},
  heads: {},
  lastReadSeqs: {},
  listedGroups: {},
  directs: null,
  unread: null,
  friends: null,
  friendRequests: null,
  joinRequests: null,
  notifications: null,
  notificationPreferences: null,
  drafts: null,
  saved: null,
  scheduled: null,
  calls: null,
  openReports: {},
  openJoinRequests: {},
  inboxUnread: null,
  inboxMarker: null,
  pins: {},
  messages: {},
  announcement: null,
  maintenance: null,
};

/** The entry of direct channels in `ClientState.openReports`. */
export const DIRECT_REPORTS = "direct";

/** Maximum number of messages in `ClientState.messages`. */
export const MAX_MESSAGES = 2000;

export const MAX_USERS = 5000;

/** The table with entries added as the newest; the oldest beyond `max` are dropped. */
export function withNewest<T>(
  table: Table<T>,
  entries: readonly (readonly [string, T])[],
  max: number,
): Table<T> {
  const all = new Map(Object.entries(table));
  for (const [key, value] of entries) {
    all.delete(key);
    all.set(key, value);
  }
  return Object.fromEntries([...all].slice(-max));
}

/** The table with an entry set; the same table if nothing changed. */
export function withEntry<T>(table: Table<T>, key: string, value: T): Table<T> {
  return table[key] === value ? table : { ...table, [key]: value };
}

/** The table without matching entries; the same table if there are none. */
export function withoutEntries<T>(table: Table<T>, isGone: (value: T, key: string) => boolean): Table<T> {
  const entries = Object.entries(table);
  const kept = entries.filter(([key, value]) => !isGone(value, key));
  return kept.length === entries.length ? table : Object.fromEntries(kept);
}

export function withoutEntry<T>(table: Table<T>, key: string): Table<T> {
  if (table[key] === undefined) return table;
  const { [key]: _, ...rest } = table;
  return rest;
}

/** Changes one entry of a table if it is loaded. */
export function inTable<T>(table: Table<T>, key: string, change: (value: T) => T): Table<T> {
  const existing = table[key];
  return existing === undefined ? table : withEntry(table, key, change(existing));
}

/** The table with every value mapped; the same table if no value changed. */
export function mapEntries<T>(table: Table<T>, change: (value: T, key: string) => T): Table<T> {
  let isChanged = false;
  const entries = Object.entries(table).map(([key, value]) => {
    const after = change(value, key);
    isChanged ||= after !== value;
    return [key, after] as const;
  });
  return isChanged ? Object.fromEntries(entries) : table;
}

export function tableOf<K extends string, T extends Record<K, string>>(
  values: readonly T[],
  key: K,
): Table<T> {
  return Object.fromEntries(values.map((value) => [value[key], value]));
}
