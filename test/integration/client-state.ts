import type {
  Call,
  Channel,
  ChannelState,
  EventName,
  EventPayload,
  Friend,
  FriendRequest,
  Group,
  InboxMarker,
  Member,
  Message,
  NotificationSetting,
  OwnUser,
  Role,
} from "@fanfare/contract";

/** What a client holds of the server, as plain data so that two can be compared. */
export interface ClientState {
  me: OwnUser;
  /** By user: of those who are members of the groups the client was in when it started. */
  presences: Record<string, string>;
  groups: Record<string, Group>;
  roles: Record<string, Role>;
  channels: Record<string, Channel>;
  lastReadSeqs: Record<string, number>;
  inboxMarker: InboxMarker;
  /** By group or channel; those that are as without any are left out. */
  notifications: Record<string, NotificationSetting>;
  /** The channels of messages that name the user, or answer one of the user's, by message. */
  inbox: Record<string, string>;
  /** By user. Guests have neither. */
  friends: Record<string, Friend>;
  friendRequests: Record<string, FriendRequest>;
  /** By group, then by user. Loaded for the groups the client was in when it started. */
  members: Record<string, Record<string, Member>>;
  /** By channel, then by seq. Loaded for the channels that there were when it started. */
  messages: Record<string, Record<number, Message>>;
}

/** Asks the server for everything. `shape` limits members and messages to what that state has loaded. */
export async function fetchState(call: Call, shape?: ClientState): Promise<ClientState> {
  const { user } = await call("user.me", {});
  const { groups } = await call("group.listMine", {});
  const lists = await Promise.all(groups.map(({ id }) => call("channel.list", { groupId: id })));
  const roleLists = await Promise.all(groups.map(({ id }) => call("role.list", { groupId: id })));
  const directs = await call("channel.listDirect", {});
  const ofGroups = lists.flatMap(({ channels }) => channels);
  const states = [...ofGroups, ...(await fetchThreads(call, ofGroups)), ...directs.channels];
  const state: ClientState = {
    me: user,
    groups: byId(groups),
    roles: byId(roleLists.flatMap(({ roles }) => roles)),
    channels: byId(states.map(({ head: _head, lastReadSeq: _seq, ...channel }) => channel)),
    lastReadSeqs: Object.fromEntries(
      states.filter((s) => s.lastReadSeq > 0).map((s) => [s.id, s.lastReadSeq]),
    ),
    ...(await fetchFriends(call, user)),
    ...(await fetchInbox(call, user.id)),
    notifications: {},
    members: {},
    messages: {},
    presences: {},
  };
  for (const setting of (await call("notification.list", { limit: 100 })).settings)
    putSetting(state, setting);
  for (const { id: groupId } of groups) {
    if (shape !== undefined && !(groupId in shape.members)) continue;
    const { members } = await call("group.listMembers", { groupId, limit: 100 });
    state.members[groupId] = Object.fromEntries(members.map((member) => [member.userId, member]));
  }
  const members = Object.values(state.members).flatMap((byUser) => Object.keys(byUser));
  const watched = shape === undefined ? [...new Set(members)] : Object.keys(shape.presences);
  if (watched.length > 0) {
    const { presences } = await call("presence.watch", { userIds: watched });
    state.presences = Object.fromEntries(presences.map(({ userId, status }) => [userId, status]));
  }
  for (const { id: channelId } of states) {
    if (shape !== undefined && !(channelId in shape.messages)) continue;
    const { messages } = await call("message.list", { channelId, limit: 100 });
    state.messages[channelId] = Object.fromEntries(messages.map((message) => [message.seq, message]));
  }
  return state;
}

async function fetchThreads(call: Call, channels: readonly ChannelState[]): Promise<ChannelState[]> {
  const lists = channels
    .filter(({ kind }) => kind === "text")
    .flatMap(({ id: channelId }) =>
      [false, true].map((archived) => call("channel.listThreads", { channelId, archived, limit: 100 })),
    );
  return (await Promise.all(lists)).flatMap((list) => list.channels);
}

async function fetchInbox(call: Call, userId: string): Promise<Pick<ClientState, "inbox" | "inboxMarker">> {
  const { items, marker } = await call("inbox.list", { limit: 100 });
  const named = items.filter(({ message }) => names(message, userId));
  return {
    inboxMarker: marker,
    inbox: Object.fromEntries(named.map(({ message }) => [message.id, message.channelId])),
  };
}

async function fetchFriends(
  call: Call,
  user: OwnUser,
): Promise<Pick<ClientState, "friends" | "friendRequests">> {
  if (user.kind !== "member") return { friends: {}, friendRequests: {} };
  const { friends } = await call("friend.list", { limit: 100 });
  const { requests } = await call("friend.listRequests", { limit: 100 });
  return {
    friends: Object.fromEntries(friends.map((friend) => [friend.userId, friend])),
    friendRequests: Object.fromEntries(requests.map((request) => [request.userId, request])),
  };
}

/** What each event does to a client's state: an event without an entry does not compile. */
const REDUCERS: { [N in EventName]: (state: ClientState, payload: EventPayload<N>) => void } = {
  ready: () => {},
  resync: () => {},
  "server.draining": () => {},
  "session.revoked": () => {},
  // Of the server, not of what anybody has in it.
  "server.announced": () => {},
  "server.paused": () => {},
  "server.resumed": () => {},
  // Told once, and kept by nobody.
  "command.invoked": () => {},
  "bot.disabled": () => {},
  "user.updated": (state, { user }) => {
    if (user.id === state.me.id) Object.assign(state.me, user);
  },
  "account.updated": (state, { user }) => {
    state.me = user;
  },
  "group.joined": (state, { group, channels }) => {
    state.groups[group.id] = group;
    for (const channel of channels) state.channels[channel.id] = channel;
  },
  "group.left": (state, { groupId }) => forgetGroup(state, groupId),
  "group.updated": (state, { group }) => {
    state.groups[group.id] = group;
  },
  "group.deleted": (state, { groupId }) => forgetGroup(state, groupId),
  "role.created": (state, { role }) => {
    state.roles[role.id] = role;
  },
  "role.updated": (state, { role }) => {
    state.roles[role.id] = role;
  },
  "role.deleted": (state, { groupId, roleId }) => {
    delete state.roles[roleId];
    for (const member of Object.values(state.members[groupId] ?? {})) {
      member.roleIds = member.roleIds.filter((id) => id !== roleId);
    }
  },
  "role.reordered": (state, { positions }) => {
    for (const { roleId, position } of positions) {
      if (state.roles[roleId] !== undefined) state.roles[roleId].position = position;
    }
  },
  "member.joined": (state, { groupId, members, memberCount }) => {
    const group = state.groups[groupId];
    if (group !== undefined) group.memberCount = memberCount;
    const known = state.members[groupId];
    if (known !== undefined) for (const member of members) known[member.userId] = member;
  },
  "member.left": (state, { groupId, userIds, memberCount }) => {
    const group = state.groups[groupId];
    if (group !== undefined) group.memberCount = memberCount;
    for (const userId of userIds) delete state.members[groupId]?.[userId];
    forgetStrangers(state);
  },
  "member.updated": (state, { member }) => {
    const known = state.members[member.groupId];
    if (known !== undefined) known[member.userId] = member;
  },
  "channel.created": (state, { channel }) => {
    state.channels[channel.id] = channel;
  },
  "channel.updated": (state, { channel }) => {
    state.channels[channel.id] = channel;
  },
  "channel.reordered": (state, { places }) => {
    for (const { channelId, ...place } of places) {
      const channel = state.channels[channelId];
      if (channel !== undefined) Object.assign(channel, place);
    }
  },
  "channel.closed": (state, { channelId }) => forgetChannel(state, channelId),
  "channel.deleted": (state, { channelId }) => forgetChannel(state, channelId),
  "message.created": (state, { messages }) => messages.forEach((message) => putMessage(state, message)),
  "message.changed": (state, { message }) => putMessage(state, message),
  "message.deleted": (state, { message }) => putMessage(state, message),
  "friend.requested": (state, { request }) => {
    state.friendRequests[request.userId] = request;
  },
  "friend.added": (state, { friend }) => {
    delete state.friendRequests[friend.userId];
    state.friends[friend.userId] = friend;
  },
  "friend.removed": (state, { userId }) => {
    delete state.friendRequests[userId];
    delete state.friends[userId];
  },
  "reaction.changed": (state, { channelId, seq, rev, reactions }) => {
    const message = state.messages[channelId]?.[seq];
    if (message === undefined) return;
    const { reactions: _before, ...rest } = message;
    putMessage(state, { ...rest, rev, ...(reactions.length > 0 && { reactions }) });
  },
  "presence.changed": (state, { presences }) => {
    // What is told a second late may come after the last common group is gone: the socket watches the user a while longer.
    for (const { userId, status } of presences) {
      if (userId in state.presences) state.presences[userId] = status;
    }
  },
  "typing.started": () => {},
  "inbox.added": (state, { message }) => {
    state.inbox[message.id] = message.channelId;
  },
  "notification.updated": (state, { setting }) => putSetting(state, setting),
  "inbox.updated": (state, { marker }) => {
    state.inboxMarker = marker;
    const { clearedUpToId } = marker;
    for (const id of Object.keys(state.inbox)) {
      if (clearedUpToId !== null && id <= clearedUpToId) delete state.inbox[id];
    }
  },
  "readMarker.updated": (state, { channelId, lastReadSeq }) => {
    // Of two processes the one that was later may be heard first.
    state.lastReadSeqs[channelId] = Math.max(state.lastReadSeqs[channelId] ?? 0, lastReadSeq);
  },
};

export function applyEvent<N extends EventName>(state: ClientState, name: N, payload: EventPayload<N>): void {
  REDUCERS[name](state, payload);
}

export const EVENT_NAMES = Object.keys(REDUCERS) as EventName[];

function putSetting(state: ClientState, setting: NotificationSetting): void {
  const placeId = (setting.channelId ?? setting.groupId)!;
  const isDefault = setting.level === null && setting.mutedUntil === null && !setting.suppressEveryone;
  if (isDefault) delete state.notifications[placeId];
  else state.notifications[placeId] = setting;
}

function names({ mentions, authorId }: Message, userId: string): boolean {
  return authorId !== userId && mentions?.userIds.includes(userId) === true;
}

/** An edit may mention somebody, or nobody any more. */
function putMessage(state: ClientState, message: Message): void {
  if (!names(message, state.me.id)) delete state.inbox[message.id];
  else if (message.id > (state.inboxMarker.clearedUpToId ?? "")) state.inbox[message.id] = message.channelId;
  const known = state.messages[message.channelId];
  if (known !== undefined) known[message.seq] = message;
}

function forgetGroup(state: ClientState, groupId: string): void {
  delete state.groups[groupId];
  for (const role of Object.values(state.roles)) if (role.groupId === groupId) delete state.roles[role.id];
  delete state.members[groupId];
  forgetStrangers(state);
  for (const channel of Object.values(state.channels))
    if (channel.groupId === groupId) forgetChannel(state, channel.id);
}

/** Of somebody without a common group nothing is told any more. */
function forgetStrangers(state: ClientState): void {
  const known = Object.values(state.members);
  for (const userId of Object.keys(state.presences)) {
    if (userId !== state.me.id && !known.some((members) => userId in members)) delete state.presences[userId];
  }
}

/** Its threads go with it. */
function forgetChannel(state: ClientState, channelId: string): void {
  for (const { id, parentId } of Object.values(state.channels)) {
    if (parentId === channelId) forgetChannel(state, id);
  }
  delete state.channels[channelId];
  delete state.messages[channelId];
  delete state.lastReadSeqs[channelId];
  for (const id of Object.keys(state.inbox)) if (state.inbox[id] === channelId) delete state.inbox[id];
}

function byId<T extends { id: string }>(things: readonly T[]): Record<string, T> {
  return Object.fromEntries(things.map((thing) => [thing.id, thing]));
}
