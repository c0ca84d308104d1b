import type {
  ActionName,
  ChannelState,
  Group,
  Member,
  MemberChange,
  Message,
  OwnUser,
  Params,
  Result,
  User,
} from "@fanfare/contract";
import { removeChannels, removeGroup, putMember, putMessage, reduce, type StateEvent } from "./reduce.ts";
import {
  type ClientState,
  DIRECT_REPORTS,
  inTable,
  MAX_MESSAGES,
  MAX_USERS,
  tableOf,
  withEntry,
  withNewest,
  withoutEntries,
  withoutEntry,
} from "./state.ts";

type ResultReducer<N extends ActionName> = (
  state: ClientState,
  response: Result<N>,
  params: Params<N>,
) => ClientState;

/** The reducers of results that include users on request. */
const USERS_REQUESTED = new Set<unknown>();

/** The params of a call, which requests the users in its result if it can. */
export function requestingUsers<N extends ActionName>(name: N, params: Params<N>): Params<N> {
  return USERS_REQUESTED.has(RESULT_REDUCERS[name]) ? { ...params, withUsers: true } : params;
}

/** Whether `applyResult` uses the results of an action. */
export function isAppliedToState(name: ActionName): boolean {
  return name in RESULT_REDUCERS;
}

/**
 * The state after a result of this client's own call. Pure. Events received during the call
 * must be applied again afterwards.
 */
export function applyResult<N extends ActionName>(
  state: ClientState,
  name: N,
  params: Params<N>,
  response: Result<N>,
): ClientState {
  const into: ResultReducer<N> | undefined = RESULT_REDUCERS[name];
  return into?.(state, response, params) ?? state;
}

/** Applies the result like the event that other clients receive. */
const asEvent =
  <N extends ActionName>(eventOf: (response: Result<N>, params: Params<N>) => StateEvent): ResultReducer<N> =>
  (state, response, params) =>
    reduce(state, eventOf(response, params));

const group = (state: ClientState, { group: payload }: { group: Group }): ClientState =>
  reduce(state, { name: "group.updated", payload: { group: payload } });
const member = (state: ClientState, response: { member: Member }): ClientState =>
  putMember(state, response.member);
const message = (state: ClientState, response: { message: Message }): ClientState =>
  putMessage(state, response.message);
const me = (state: ClientState, { user }: { user: OwnUser }): ClientState => ({ ...state, me: user });
const channel = asEvent<"channel.update">((payload) => ({ name: "channel.updated", payload }));
const openedDirect = (state: ClientState, response: { channel: ChannelState }): ClientState => {
  const { id } = response.channel;
  const { directs } = state;
  const shown = directs === null || directs.includes(id) ? directs : [id, ...directs];
  return putChannelStates({ ...state, directs: shown }, [response.channel]);
};

function putUsers(state: ClientState, users: readonly User[]): ClientState {
  if (users.length === 0) return state;
  const entries = users.map((user) => [user.id, user] as const);
  return { ...state, users: withNewest(state.users, entries, MAX_USERS) };
}

/** Requests the users in a result, and stores them too. */
function withUsers<N extends ActionName>(into: ResultReducer<N>): ResultReducer<N> {
  const reducer: ResultReducer<N> = (state, response, params) => {
    const { users = [] } = response as { users?: readonly User[] };
    return putUsers(into(state, response, params), users);
  };
  USERS_REQUESTED.add(reducer);
  return reducer;
}

const RESULT_REDUCERS: { [N in ActionName]?: ResultReducer<N> } = {
  "user.me": me,
  "user.getMany": (state, { users }) => putUsers(state, users),
  "user.updateProfile": me,
  "user.setPreferences": me,
  "user.setAvatar": me,
  "user.removeAvatar": me,
  "user.linkOidc": me,
  "user.unlinkOidc": me,
  "user.claimGuest": me,

  "call.list": (state, { calls }) => ({ ...state, calls: tableOf(calls, "channelId") }),
  "call.join": asEvent(({ call }) => ({ name: "call.updated", payload: { call } })),

  "group.listMine": (state, { groups }) => {
    const left = Object.keys(state.groups ?? {}).filter((id) => groups.every((group) => group.id !== id));
    return { ...left.reduce(removeGroup, state), groups: tableOf(groups, "id") };
  },
  "group.create": asEvent((payload) => ({ name: "group.joined", payload })),
  "invite.accept": asEvent((payload) => ({ name: "group.joined", payload })),
  "group.joinListed": asEvent((payload) => ({ name: "group.joined", payload })),
  "group.update": group,
  "group.transfer": group,
  "group.setIcon": group,
  "group.removeIcon": group,
  "group.setRetention": group,
  "role.setDefault": group,
  "group.myPermissions": (state, response, { groupId }) => ({
    ...state,
    permissions: withEntry(state.permissions, groupId, response),
  }),

  "group.getMember": (state, response, { groupId }) => member(withMembersOf(state, groupId), response),
  "group.getMembers": (state, { members }, { groupId }) =>
    members.reduce(putMember, withMembersOf(state, groupId)),
  "group.listMembers": (state, { members, nextUserId }, { groupId, afterUserId = "" }) => {
    const isInPage = (userId: string): boolean =>
      userId > afterUserId && (nextUserId === null || userId <= nextUserId);
    const others = withoutEntries(state.members[groupId] ?? {}, (_, userId) => isInPage(userId));
    const known = { ...others, ...tableOf(members, "userId") };
    return { ...state, members: withEntry(state.members, groupId, known) };
  },
  "group.setOwnNickname": member,
  "group.setNickname": member,
  "group.listNicknames": (state, { nicknames }, { groupId }) => ({
    ...state,
    nicknames: withEntry(state.nicknames, groupId, tableOf(nicknames, "userId")),
  }),
  "group.listMemberChanges": withUsers((state, { changes }, { groupId }) => ({
    ...state,
    memberChanges: withEntry<readonly MemberChange[]>(state.memberChanges, groupId, changes),
  })),
  "group.mute": member,
  "group.unmute": member,
  "role.assign": member,
  "role.unassign": member,
  "group.kick": (state, _, { groupId, userId }) => ({
    ...state,
    members: inTable(state.members, groupId, (known) => withoutEntry(known, userId)),
  }),

  "role.list": (state, { roles }, { groupId }) => ({
    ...state,
    roles: withEntry(state.roles, groupId, tableOf(roles, "id")),
  }),
  "role.create": asEvent((payload) => ({ name: "role.created", payload })),
  "role.update": asEvent((payload) => ({ name: "role.updated", payload })),
  "role.delete": asEvent((_, payload) => ({ name: "role.deleted", payload })),
  "role.reorder": (state, { roles }, { groupId }) => ({
    ...state,
    roles: withEntry(state.roles, groupId, tableOf(roles, "id")),
  }),

  "emoji.list": (state, { emoji }, { groupId }) => ({
    ...state,
    emoji: withEntry(state.emoji, groupId, tableOf(emoji, "id")),
  }),
  "emoji.add": asEvent((payload) => ({ name: "emoji.added", payload })),
  "emoji.rename": asEvent((payload) => ({ name: "emoji.renamed", payload })),
  "emoji.delete": asEvent((_, payload) => ({ name: "emoji.deleted", payload })),

  "channel.list": (state, { channels }, { groupId }) => {
    const listed = new Set(channels.map(({ id }) => id));
    const rest = removeChannels(
      state,
      ({ id, groupId: of, kind }) => of === groupId && kind !== "thread" && !listed.has(id),
    );
    return {
      ...putChannelStates(rest, channels),
      listedGroups: withEntry<true>(rest.listedGroups, groupId, true),
    };
  },
  "channel.listDirect": withUsers((state, { channels }) => ({
    ...putChannelStates(state, channels),
    directs: channels.map(({ id }) => id),
  })),
  "channel.listThreads": withUsers((state, { channels }) => putChannelStates(state, channels)),
  "channel.listFollowedThreads": (state, { channels }) => putChannelStates(state, channels),
  "channel.sync": withUsers((state) => state),
  "channel.listUnread": (state, { channels }) => ({
    ...state,
    unread: tableOf(channels, "channelId"),
  }),
  "channel.get": (state, response) => putChannelStates(state, [response.channel]),
  "channel.openThread": (state, response) => putChannelStates(state, [response.channel]),
  "channel.openDirect": openedDirect,
  "channel.createGroupDirect": openedDirect,
  "channel.closeDirect": asEvent((_, payload) => ({ name: "channel.closed", payload })),
  "channel.create": asEvent((payload) => ({ name: "channel.created", payload })),
  "channel.update": channel,
  "channel.addToDirect": channel,
  "channel.renameDirect": channel,
  "channel.archiveThread": channel,
  "channel.unarchiveThread": channel,
  "channel.delete": asEvent((_, { channelId }) => ({
    name: "channel.deleted",
    payload: { channelId, groupId: null },
  })),
  "channel.markRead": asEvent(({ lastReadSeq }, { channelId }) => ({
    name: "readMarker.updated",
    payload: { channelId, lastReadSeq },
  })),
  "channel.markUnread": asEvent(({ lastReadSeq }, { channelId }) => ({
    name: "readMarker.lowered",
    payload: { channelId, lastReadSeq },
  })),

  "message.list": withUsers((state) => state),
  "message.get": withUsers((state, response) => listMessages(state, [response.message])),
  "message.search": withUsers((state, { messages }) => listMessages(state, messages)),
  "message.listPins": withUsers((state, { messages }, { channelId }) => ({
    ...state,
    pins: withEntry<readonly Message[]>(state.pins, channelId, messages),
  })),
  "message.edit": message,
  "message.pin": message,
  "message.unpin": message,

  "friend.list": (state, { friends }) => ({ ...state, friends: tableOf(friends, "userId") }),
  "friend.listRequests": (state, { requests }) => ({
    ...state,
    friendRequests: tableOf(requests, "userId"),
  }),
  "friend.accept": asEvent((payload) => ({ name: "friend.added", payload })),
  "friend.decline": asEvent((_, payload) => ({ name: "friend.removed", payload })),
  "friend.remove": asEvent((_, payload) => ({ name: "friend.removed", payload })),

  "join.listMine": (state, { requests }) => ({
    ...state,
    joinRequests: tableOf(requests, "groupId"),
  }),
  "join.request": (state, { request }) =>
    request === null ? state : reduce(state, { name: "joinRequest.updated", payload: { request } }),
  "join.withdraw": asEvent((_, payload) => ({ name: "joinRequest.removed", payload })),
  "join.list": withUsers((state) => state),
  "join.getOpenCount": (state, { open }, { groupId }) => ({
    ...state,
    openJoinRequests: withEntry(state.openJoinRequests, groupId, open),
  }),
  "group.startLockdown": group,
  "group.endLockdown": group,
  "notification.list": (state, { settings }) => ({
    ...state,
    notifications: Object.fromEntries(
      settings.map((setting) => [(setting.channelId ?? setting.groupId)!, setting]),
    ),
  }),
  "notification.set": asEvent((payload) => ({ name: "notification.updated", payload })),
  "notification.getPreferences": asEvent((payload) => ({ name: "notification.configured", payload })),
  "notification.setPreferences": asEvent((payload) => ({ name: "notification.configured", payload })),
  "scheduled.add": asEvent((payload) => ({ name: "scheduled.changed", payload })),
  "scheduled.change": asEvent((payload) => ({ name: "scheduled.changed", payload })),
  "scheduled.remove": asEvent((_, payload) => ({ name: "scheduled.removed", payload })),
  "scheduled.list": (state, { scheduled }) => ({ ...state, scheduled: tableOf(scheduled, "id") }),
  "draft.set": asEvent((payload) => ({ name: "draft.changed", payload })),
  "draft.list": (state, { drafts }) => ({ ...state, drafts: tableOf(drafts, "channelId") }),
  "saved.add": asEvent((payload) => ({ name: "saved.added", payload })),
  "saved.remove": asEvent((_, payload) => ({ name: "saved.removed", payload })),
  "saved.list": (state, { saved }) => ({ ...state, saved: tableOf(saved, "messageId") }),
  "saved.listMessages": withUsers((state, { items }) =>
    listMessages(
      state,
      items.map(({ message }) => message),
    ),
  ),
  "inbox.list": withUsers((state, { items, marker }) => ({
    ...listMessages(
      state,
      items.map((item) => item.message),
    ),
    inboxMarker: marker,
  })),
  "report.getOpenCount": (state, { open }, { groupId }) => withOpenReports(state, groupId, open),
  "admin.getOpenReportCount": (state, { open }) => withOpenReports(state, DIRECT_REPORTS, open),
  "inbox.getUnreadCount": (state, { unread }) => ({ ...state, inboxUnread: unread }),
  "inbox.markRead": asEvent((payload) => ({ name: "inbox.updated", payload })),
  "inbox.clear": asEvent((payload) => ({ name: "inbox.updated", payload })),
};

function withOpenReports(state: ClientState, place: string, open: number): ClientState {
  return { ...state, openReports: withEntry(state.openReports, place, open) };
}

function withMembersOf(state: ClientState, groupId: string): ClientState {
  return state.members[groupId] === undefined
    ? { ...state, members: withEntry(state.members, groupId, {}) }
    : state;
}

function putChannelStates(state: ClientState, channels: readonly ChannelState[]): ClientState {
  const [records, heads, lastReadSeqs] = [
    { ...state.channels },
    { ...state.heads },
    { ...state.lastReadSeqs },
  ];
  for (const { head, lastReadSeq, ...record } of channels) {
    records[record.id] = record;
    heads[record.id] = head;
    lastReadSeqs[record.id] = lastReadSeq;
  }
  return { ...state, channels: records, heads, lastReadSeqs };
}

/** Stores messages that are shown outside of their channel, so that events update them. */
function listMessages(state: ClientState, listed: readonly Message[]): ClientState {
  const entries = listed.map((one) => {
    const existing = state.messages[one.id];
    return [one.id, existing !== undefined && existing.rev > one.rev ? existing : one] as const;
  });
  return { ...state, messages: withNewest(state.messages, entries, MAX_MESSAGES) };
}
