import type {
  Channel,
  Emoji,
  EventName,
  EventPayload,
  Group,
  Member,
  MemberChange,
  Message,
  NotificationSetting,
  Role,
  SavedMessage,
  UnreadChannel,
} from "@fanfare/contract";
import { MEMBER_CHANGES_LISTED, MENTIONS_COUNTED } from "../limits.ts";
import { newest } from "../message-list.ts";
import {
  type ClientState,
  EMPTY_STATE,
  inTable,
  mapEntries,
  type Table,
  withEntry,
  withoutEntries,
  withoutEntry,
} from "./state.ts";

/** An event of the contract. */
export type StateEvent = { [N in EventName]: { name: N; payload: EventPayload<N> } }[EventName];

/**
 * The state after an event. Pure and idempotent; only loaded parts change. `invalidationsOf` lists changes that an event does not
 * include, such as the unread mentions after an edit.
 */
export function reduce(state: ClientState, { name, payload }: StateEvent): ClientState {
  const reducer = REDUCERS[name] as (state: ClientState, payload: unknown) => ClientState;
  return reducer(state, payload);
}

const unchanged = (state: ClientState): ClientState => state;

/** An event without an entry does not compile. */
const REDUCERS: { [N in EventName]: (state: ClientState, payload: EventPayload<N>) => ClientState } = {
  // Clears the state of another user. During maintenance, `server.paused` follows.
  ready: (state, { userId }) => {
    const kept = (state.userId ?? userId) === userId ? state : EMPTY_STATE;
    return { ...kept, userId, maintenance: null };
  },
  resync: unchanged,
  "server.draining": unchanged,
  "session.revoked": unchanged,
  "command.invoked": unchanged,
  "interaction.created": unchanged,
  "modal.opened": unchanged,
  "modal.submitted": unchanged,
  "ephemeral.created": unchanged, // not stored by the server either
  "bot.disabled": unchanged,
  "presence.changed": unchanged, // kept by PresenceWatch
  "report.changed": unchanged,
  "joinRequest.changed": unchanged,
  "typing.started": unchanged,
  "inbox.added": unchanged,
  "thread.followed": unchanged,
  "speaking.changed": unchanged,
  "plugin.published": unchanged,
  "call.rang": unchanged,
  "call.ringEnded": unchanged,
  "ring.changed": unchanged,
  "call.moved": unchanged,

  "server.announced": (state, announcement) => ({ ...state, announcement }),
  "server.paused": (state, { message }) => ({ ...state, maintenance: message }),
  "server.resumed": (state) => ({ ...state, maintenance: null }),

  "account.updated": (state, { user }) => ({ ...state, me: user }),
  "user.updated": (state, { user }) => {
    const me = state.me?.id === user.id ? { ...state.me, ...user } : state.me;
    const users = inTable(state.users, user.id, () => user);
    return me === state.me && users === state.users ? state : { ...state, me, users };
  },

  "group.joined": (state, { group, channels }) => channels.reduce(putChannel, putGroup(state, group)),
  "group.updated": (state, { group }) =>
    state.groups?.[group.id] === undefined ? state : putGroup(state, group),
  "group.left": (state, { groupId }) => removeGroup(state, groupId),
  "group.deleted": (state, { groupId }) => removeGroup(state, groupId),

  "role.created": (state, { role }) => putRole(state, role),
  "role.updated": (state, { role }) => putRole(state, role),
  "role.deleted": (state, { groupId, roleId }) => {
    const roles = inTable(state.roles, groupId, (existing) => withoutEntry(existing, roleId));
    const members = inTable(state.members, groupId, (existing) =>
      mapEntries(existing, (member) =>
        member.roleIds.includes(roleId)
          ? { ...member, roleIds: member.roleIds.filter((id) => id !== roleId) }
          : member,
      ),
    );
    return { ...state, roles, members };
  },
  "role.reordered": (state, { groupId, positions }) => {
    const positionOf = new Map(positions.map(({ roleId, position }) => [roleId, position]));
    const roles = inTable(state.roles, groupId, (existing) =>
      mapEntries(existing, (role) => {
        const position = positionOf.get(role.id) ?? role.position;
        return position === role.position ? role : { ...role, position };
      }),
    );
    return { ...state, roles };
  },

  "emoji.added": (state, { emoji }) => putEmoji(state, emoji),
  "emoji.renamed": (state, { emoji }) => putEmoji(state, emoji),
  "emoji.deleted": (state, { groupId, emojiId }) => ({
    ...state,
    emoji: inTable(state.emoji, groupId, (existing) => withoutEntry(existing, emojiId)),
  }),

  "member.joined": (state, { groupId, members, memberCount }) => {
    const joined = members.map(({ userId, joinedAt: at }): MemberChange => ({
      userId,
      change: "joined",
      at,
    }));
    const counted = withMemberCount(state, groupId, memberCount);
    return members.reduce(putMember, withMemberChanges(counted, groupId, joined));
  },
  "member.left": (state, { groupId, userIds, memberCount, departures }) => {
    const counted = withMemberChanges(withMemberCount(state, groupId, memberCount), groupId, departures);
    const members = inTable(counted.members, groupId, (existing) =>
      withoutEntries(existing, ({ userId }) => userIds.includes(userId)),
    );
    const nicknames = inTable(counted.nicknames, groupId, (existing) =>
      withoutEntries(existing, (_, userId) => userIds.includes(userId)),
    );
    return { ...counted, members, nicknames };
  },
  "member.updated": (state, { member }) => putMember(state, member),

  "channel.created": (state, { channel }) => {
    const added = putChannel(state, channel);
    const isKnown = state.channels[channel.id] !== undefined;
    const numbered = isKnown || added === state ? added : withNumbers(added, channel.id);
    return isDirect(channel) && state.directs !== null && !state.directs.includes(channel.id)
      ? { ...numbered, directs: [channel.id, ...state.directs] }
      : numbered;
  },
  "channel.updated": (state, { channel }) => putChannel(state, channel),
  "channel.reordered": (state, { places }) => {
    const placeOf = new Map(places.map((place) => [place.channelId, place]));
    const channels = mapEntries(state.channels, (channel) => {
      const place = placeOf.get(channel.id);
      if (place === undefined) return channel;
      const { sectionId, position } = place;
      return channel.sectionId === sectionId && channel.position === position
        ? channel
        : { ...channel, sectionId, position };
    });
    return { ...state, channels };
  },
  "channel.deleted": (state, { channelId }) => withoutChannels(state, new Set([channelId])),
  // Its history and numbers stay, because the next message reopens it.
  "channel.closed": (state, { channelId }) =>
    state.directs?.includes(channelId) === true
      ? { ...state, directs: state.directs.filter((id) => id !== channelId) }
      : state,
  "readMarker.updated": (state, { channelId, lastReadSeq }) => {
    // Events of two processes can arrive out of order.
    const seq = Math.max(state.lastReadSeqs[channelId] ?? 0, lastReadSeq);
    const lastReadSeqs = withEntry(state.lastReadSeqs, channelId, seq);
    const unread = state.unread && withoutRead(state.unread, channelId, lastReadSeq);
    return { ...state, lastReadSeqs, unread };
  },
  "readMarker.lowered": (state, { channelId, lastReadSeq }) => {
    const existing = state.unread?.[channelId];
    return {
      ...state,
      lastReadSeqs: withEntry(state.lastReadSeqs, channelId, lastReadSeq),
      unread: existing ? withEntry(state.unread, channelId, { ...existing, lastReadSeq }) : state.unread,
    };
  },

  "message.created": (state, { channelId, messages }) => {
    const last = messages.at(-1);
    if (last === undefined) return state;
    const counted = { ...state, unread: state.unread && withUnread(state, state.unread, messages) };
    return withHead(raiseDirect(counted, channelId), last);
  },
  "message.changed": (state, { message }) => withHead(putMessage(state, message), message),
  "message.deleted": (state, { message }) => withHead(putMessage(state, message), message),
  "reaction.changed": (state, { channelId, messageId, seq, rev, reactions }) => {
    const react = (message: Message): Message => {
      if (message.id !== messageId || message.rev >= rev) return message;
      const { reactions: _before, ...rest } = message;
      return { ...rest, rev, ...(reactions.length > 0 && { reactions }) };
    };
    const existing = state.messages[messageId];
    const messages =
      existing === undefined ? state.messages : withEntry(state.messages, messageId, react(existing));
    const pins = inTable(state.pins, channelId, (pinned) =>
      pinned.some((message) => react(message) !== message) ? pinned.map(react) : pinned,
    );
    return withHead({ ...state, messages, pins }, { channelId, seq, rev });
  },

  "friend.requested": (state, { request }) => ({
    ...state,
    friendRequests: state.friendRequests && withEntry(state.friendRequests, request.userId, request),
  }),
  "friend.added": (state, { friend }) => ({
    ...state,
    friendRequests: state.friendRequests && withoutEntry(state.friendRequests, friend.userId),
    friends: state.friends && withEntry(state.friends, friend.userId, friend),
  }),
  "friend.removed": (state, { userId }) => ({
    ...state,
    friendRequests: state.friendRequests && withoutEntry(state.friendRequests, userId),
    friends: state.friends && withoutEntry(state.friends, userId),
  }),

  "joinRequest.updated": (state, { request }) => ({
    ...state,
    joinRequests: state.joinRequests && withEntry(state.joinRequests, request.groupId, request),
  }),
  "joinRequest.removed": (state, { groupId }) => ({
    ...state,
    joinRequests: state.joinRequests && withoutEntry(state.joinRequests, groupId),
  }),

  "notification.updated": (state, { setting }) => ({
    ...state,
    notifications: state.notifications && withSetting(state.notifications, setting),
  }),
  "notification.configured": (state, { preferences }) => ({ ...state, notificationPreferences: preferences }),
  "draft.changed": (state, { draft }) => ({
    ...state,
    drafts:
      state.drafts &&
      (draft.content === ""
        ? withoutEntry(state.drafts, draft.channelId)
        : withEntry(state.drafts, draft.channelId, draft)),
  }),
  "scheduled.changed": (state, { scheduled }) => ({
    ...state,
    scheduled: state.scheduled && withEntry(state.scheduled, scheduled.id, scheduled),
  }),
  "scheduled.removed": (state, { scheduledId }) => ({
    ...state,
    scheduled: state.scheduled && withoutEntry(state.scheduled, scheduledId),
  }),
  "saved.added": (state, { saved }) => withSaved(state, saved),
  "saved.reminded": (state, { saved }) => withSaved(state, saved),
  "saved.removed": (state, { messageId }) => ({
    ...state,
    saved: state.saved && withoutEntry(state.saved, messageId),
  }),
  "inbox.updated": (state, { marker }) => ({ ...state, inboxMarker: marker }),
  "call.updated": (state, { call }) => ({
    ...state,
    calls: state.calls && withEntry(state.calls, call.channelId, call),
  }),
  "call.ended": (state, { channelId, callId }) =>
    state.calls?.[channelId]?.id === callId
      ? { ...state, calls: withoutEntry(state.calls, channelId) }
      : state,
};

function withSaved(state: ClientState, saved: SavedMessage): ClientState {
  return { ...state, saved: state.saved && withEntry(state.saved, saved.messageId, saved) };
}

const isDirect = ({ kind }: Channel): boolean => kind === "direct" || kind === "groupDirect";

function putGroup(state: ClientState, group: Group): ClientState {
  return state.groups === null ? state : { ...state, groups: withEntry(state.groups, group.id, group) };
}

function withMemberCount(state: ClientState, groupId: string, memberCount: number): ClientState {
  const group = state.groups?.[groupId];
  if (group === undefined || group.memberCount === memberCount) return state;
  return putGroup(state, { ...group, memberCount });
}

function withMemberChanges(
  state: ClientState,
  groupId: string,
  changes: readonly MemberChange[] = [],
): ClientState {
  const memberChanges = inTable(state.memberChanges, groupId, (known) => latestMemberChanges(known, changes));
  return memberChanges === state.memberChanges ? state : { ...state, memberChanges };
}

/** Newest first: the latest join and the latest departure of each user. */
function latestMemberChanges(
  known: readonly MemberChange[],
  more: readonly MemberChange[],
): readonly MemberChange[] {
  const isNewer = (one: MemberChange): boolean =>
    !known.some(({ userId, change, at }) => userId === one.userId && change === one.change && at >= one.at);
  const added = more.filter(isNewer);
  if (added.length === 0) return known;
  const isReplaced = ({ userId, change }: MemberChange): boolean =>
    added.some((one) => one.userId === userId && one.change === change);
  return [...known.filter((one) => !isReplaced(one)), ...added]
    .sort((a, b) => b.at.localeCompare(a.at) || a.userId.localeCompare(b.userId))
    .slice(0, MEMBER_CHANGES_LISTED);
}

function putRole(state: ClientState, role: Role): ClientState {
  return {
    ...state,
    roles: inTable(state.roles, role.groupId, (existing) => withEntry(existing, role.id, role)),
  };
}

function putEmoji(state: ClientState, emoji: Emoji): ClientState {
  return {
    ...state,
    emoji: inTable(state.emoji, emoji.groupId, (existing) => withEntry(existing, emoji.id, emoji)),
  };
}

export function putMember(state: ClientState, member: Member): ClientState {
  const { groupId, userId, nickname, avatarUrl } = member;
  const members = inTable(state.members, groupId, (existing) => withEntry(existing, userId, member));
  const nicknames = inTable(state.nicknames, groupId, (existing) =>
    nickname === undefined && avatarUrl === undefined
      ? withoutEntry(existing, userId)
      : withEntry(existing, userId, { userId, nickname, avatarUrl }),
  );
  return members === state.members && nicknames === state.nicknames
    ? state
    : { ...state, members, nicknames };
}

/** Ignores channels of unloaded groups: they are loaded with the group's list. */
function putChannel(state: ClientState, channel: Channel): ClientState {
  const { id, groupId, parentId } = channel;
  const isKept =
    state.channels[id] !== undefined ||
    (groupId === null
      ? state.directs !== null
      : parentId === null
        ? state.listedGroups[groupId] !== undefined
        : state.channels[parentId] !== undefined);
  return isKept ? { ...state, channels: withEntry(state.channels, id, channel) } : state;
}

function withNumbers(state: ClientState, channelId: string): ClientState {
  return {
    ...state,
    heads: { [channelId]: { seq: 0, rev: 0 }, ...state.heads },
    lastReadSeqs: { [channelId]: 0, ...state.lastReadSeqs },
  };
}

export function removeGroup(state: ClientState, groupId: string): ClientState {
  const rest = removeChannels(state, (channel) => channel.groupId === groupId);
  return {
    ...rest,
    groups: rest.groups && withoutEntry(rest.groups, groupId),
    roles: withoutEntry(rest.roles, groupId),
    emoji: withoutEntry(rest.emoji, groupId),
    members: withoutEntry(rest.members, groupId),
    nicknames: withoutEntry(rest.nicknames, groupId),
    memberChanges: withoutEntry(rest.memberChanges, groupId),
    permissions: withoutEntry(rest.permissions, groupId),
    listedGroups: withoutEntry(rest.listedGroups, groupId),
    openReports: withoutEntry(rest.openReports, groupId),
    openJoinRequests: withoutEntry(rest.openJoinRequests, groupId),
    notifications: rest.notifications && withoutEntries(rest.notifications, (of) => of.groupId === groupId),
    unread: rest.unread && withoutEntries(rest.unread, (channel) => channel.groupId === groupId),
    calls: rest.calls && withoutEntries(rest.calls, (call) => call.groupId === groupId),
  };
}

export function removeChannels(state: ClientState, isGone: (channel: Channel) => boolean): ClientState {
  const gone = Object.values(state.channels).filter(isGone);
  return gone.length === 0 ? state : withoutChannels(state, new Set(gone.map(({ id }) => id)));
}

/** Removes channels and their threads, including entries about channels that are not loaded themselves. */
function withoutChannels(state: ClientState, channelIds: ReadonlySet<string>): ClientState {
  const threads = Object.values(state.channels).filter(({ parentId }) => channelIds.has(parentId ?? ""));
  const gone = new Set([...channelIds, ...threads.map(({ id }) => id)]);
  const isIn = (_: unknown, channelId: string): boolean => gone.has(channelId);
  return {
    ...state,
    channels: withoutEntries(state.channels, isIn),
    heads: withoutEntries(state.heads, isIn),
    lastReadSeqs: withoutEntries(state.lastReadSeqs, isIn),
    pins: withoutEntries(state.pins, isIn),
    calls: state.calls && withoutEntries(state.calls, isIn),
    notifications: state.notifications && withoutEntries(state.notifications, isIn),
    unread:
      state.unread &&
      withoutEntries(
        state.unread,
        ({ channelId, parentId }) => gone.has(channelId) || gone.has(parentId ?? ""),
      ),
    directs: state.directs?.some((id) => gone.has(id))
      ? state.directs.filter((id) => !gone.has(id))
      : state.directs,
    messages: withoutEntries(state.messages, ({ channelId }) => gone.has(channelId)),
    permissions: mapEntries(state.permissions, (permissions) =>
      permissions.channels.some(({ channelId }) => gone.has(channelId))
        ? { ...permissions, channels: permissions.channels.filter(({ channelId }) => !gone.has(channelId)) }
        : permissions,
    ),
  };
}

/** Moves a direct channel to the top, and reopens it if it was closed. */
function raiseDirect(state: ClientState, channelId: string): ClientState {
  const { directs } = state;
  if (directs === null || directs[0] === channelId) return state;
  const channel = state.channels[channelId];
  if (channel === undefined || !isDirect(channel)) return state;
  return { ...state, directs: [channelId, ...directs.filter((id) => id !== channelId)] };
}

function withHead(
  state: ClientState,
  { channelId, seq, rev }: Pick<Message, "channelId" | "seq" | "rev">,
): ClientState {
  const raise = <T extends { seq: number; rev: number }>(head: T): T =>
    head.seq >= seq && head.rev >= rev ? head : { ...head, ...newest(head, { seq, rev }) };
  const heads = inTable(state.heads, channelId, raise);
  const existing = state.unread?.[channelId];
  const unread =
    existing === undefined || raise(existing.head) === existing.head
      ? state.unread
      : withEntry(state.unread!, channelId, { ...existing, head: raise(existing.head) });
  return heads === state.heads && unread === state.unread ? state : { ...state, heads, unread };
}

/** Counts new messages as unread if the read marker is known. */
function withUnread(
  state: ClientState,
  unread: Table<UnreadChannel>,
  messages: readonly Message[],
): Table<UnreadChannel> {
  const last = messages.at(-1)!;
  const { channelId } = last;
  const existing = unread[channelId];
  const channel = state.channels[channelId];
  // Only the server knows whether the user follows a thread.
  if (existing === undefined && (channel === undefined || channel.kind === "thread")) return unread;
  const lastReadSeq = existing?.lastReadSeq ?? state.lastReadSeqs[channelId];
  if (lastReadSeq === undefined) return unread;
  const countedSeq = Math.max(lastReadSeq, existing?.head.seq ?? 0);
  if (last.seq <= countedSeq) return unread;
  const mentions = messages.filter((message) => message.seq > countedSeq && namesUser(state, message)).length;
  return withEntry(unread, channelId, {
    channelId,
    groupId: existing?.groupId ?? channel?.groupId ?? null,
    parentId: existing?.parentId ?? channel?.parentId ?? null,
    head: newest(existing?.head ?? last, last),
    lastReadSeq,
    mentionCount: Math.min((existing?.mentionCount ?? 0) + mentions, MENTIONS_COUNTED),
  });
}

function namesUser({ userId }: ClientState, { authorId, mentions }: Message): boolean {
  return userId !== null && authorId !== userId && mentions?.userIds.includes(userId) === true;
}

function withoutRead(
  unread: Table<UnreadChannel>,
  channelId: string,
  lastReadSeq: number,
): Table<UnreadChannel> {
  const existing = unread[channelId];
  if (existing === undefined || existing.lastReadSeq >= lastReadSeq) return unread;
  return existing.head.seq <= lastReadSeq
    ? withoutEntry(unread, channelId)
    : withEntry(unread, channelId, { ...existing, lastReadSeq });
}

/** Updates a message in the pins of its channel and among listed messages. */
export function putMessage(state: ClientState, message: Message): ClientState {
  const { id, channelId } = message;
  const existing = state.messages[id];
  const messages =
    existing === undefined || existing.rev >= message.rev
      ? state.messages
      : withEntry(state.messages, id, message);
  const pins = inTable(state.pins, channelId, (pinned) => pinsAfter(pinned, message));
  return messages === state.messages && pins === state.pins ? state : { ...state, messages, pins };
}

function pinsAfter(pins: readonly Message[], message: Message): readonly Message[] {
  const existing = pins.find(({ id }) => id === message.id);
  const isPinned = message.pinnedAt !== undefined && message.deletedAt === null;
  if (existing === undefined ? !isPinned : existing.rev >= message.rev) return pins;
  const others = pins.filter(({ id }) => id !== message.id);
  const pinnedAt = (pin: Message): string => pin.pinnedAt ?? "";
  return isPinned ? [...others, message].sort((a, b) => pinnedAt(b).localeCompare(pinnedAt(a))) : others;
}

function withSetting(
  settings: Table<NotificationSetting>,
  setting: NotificationSetting,
): Table<NotificationSetting> {
  const placeId = (setting.channelId ?? setting.groupId)!;
  const { groupId: _group, channelId: _channel, ...values } = setting;
  const isDefault = Object.values(values).every((value) => value === null || value === false);
  return isDefault ? withoutEntry(settings, placeId) : withEntry(settings, placeId, setting);
}
