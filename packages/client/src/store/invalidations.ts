import type { ActionName, Channel, EventName, EventPayload, Message, Params } from "@fanfare/contract";
import type { StateEvent } from "./reduce.ts";
import type { ClientState } from "./state.ts";

/** A result that may be outdated after an event that doesn't include the change. */
export type Invalidation = {
  [N in ActionName]: {
    name: N;
    /** Matches calls with these params; all calls if empty. */
    params: Partial<Params<N>>;
    /** About how many users received the event at the same moment. */
    crowd?: number;
    /** Delay of the reload; longer for frequent events. */
    afterMs?: number;
    /** The event to apply again after the result. */
    thenApply?: StateEvent;
  };
}[ActionName];

/** The server counts mentions a moment after the message, and at most this often. */
const RECOUNT_MENTIONS_MS = 1000;
/** The server notes the last activity of threads up to a second late. */
const REORDER_THREADS_MS = 2500;
const RECOUNT_INBOX_MS = 500;
/** A channel that is older than this or private can have a history when it becomes visible to the user. */
const NEW_WITHIN_MS = 60_000;

/** The results to reload after an event, because the event does not include the change. `before` is the state before the event. */
export function invalidationsOf(before: ClientState, event: StateEvent): readonly Invalidation[] {
  const invalidations = INVALIDATIONS[event.name] as
    | ((before: ClientState, payload: unknown, event: StateEvent) => Invalidation[])
    | undefined;
  return invalidations?.(before, event.payload, event) ?? NONE;
}

const NONE: readonly Invalidation[] = [];

type Invalidations<N extends EventName> = (
  before: ClientState,
  payload: EventPayload<N>,
  event: StateEvent,
) => Invalidation[];

const inbox = (): Invalidation[] => [
  { name: "inbox.list", params: {} },
  { name: "inbox.getUnreadCount", params: {} },
];

const INVALIDATIONS: { [N in EventName]?: Invalidations<N> } = {
  "group.joined": () => [
    { name: "channel.listUnread", params: {} },
    { name: "call.list", params: {} },
    ...inbox(),
  ],
  "group.left": inbox,
  "group.deleted": inbox,
  "group.updated": (before, { group }) => permissions(before, group.id),
  "role.updated": (before, { role }) => permissions(before, role.groupId),
  "role.deleted": (before, { groupId }) => permissions(before, groupId),
  "member.updated": (before, { member }) =>
    member.userId === before.userId ? permissions(before, member.groupId) : [],
  "member.joined": (before, { groupId, members, memberCount }) => [
    ...unlistedMembers(before, groupId, memberCount, members.length),
    // A lookup of the user before they joined could have been cached.
    ...members.map(({ userId }): Invalidation => ({ name: "group.getMember", params: { groupId, userId } })),
  ],
  "member.left": (before, { groupId, userIds, memberCount }) => [
    ...unlistedMembers(before, groupId, memberCount, -userIds.length),
    ...userIds.map((userId): Invalidation => ({ name: "group.getMember", params: { groupId, userId } })),
  ],

  "channel.created": (before, { channel }) => [
    ...channelChanged(before, channel),
    ...(channel.kind === "thread"
      ? []
      : [
          {
            name: "channel.listUnread",
            params: {},
            crowd: crowdOf(before, channel.groupId),
          } satisfies Invalidation,
        ]),
    ...(before.channels[channel.id] === undefined && canHaveHistory(channel)
      ? [...numbers(channel.id), { name: "call.list", params: {} } satisfies Invalidation]
      : []),
  ],
  "channel.updated": (before, { channel }) => [
    ...channelChanged(before, channel),
    { name: "channel.listOverrides", params: { channelId: channel.id } },
    ...(before.channels[channel.id] === undefined ? numbers(channel.id) : []),
  ],
  "channel.deleted": inbox,
  "readMarker.updated": (before, { channelId, lastReadSeq }) => {
    const existing = before.unread?.[channelId];
    const areMentionsLeft =
      existing !== undefined &&
      existing.mentionCount > 0 &&
      existing.lastReadSeq < lastReadSeq &&
      existing.head.seq > lastReadSeq;
    return [
      ...recountInbox(before),
      ...(areMentionsLeft ? [{ name: "channel.listUnread", params: {} } satisfies Invalidation] : []),
    ];
  },
  "saved.added": (before, { saved }) =>
    before.saved?.[saved.messageId] === undefined ? [{ name: "saved.listMessages", params: {} }] : [],
  "saved.removed": () => [{ name: "saved.listMessages", params: {} }],
  // Only the server knows which of the messages mention the user.
  "readMarker.lowered": () => [{ name: "channel.listUnread", params: {} }, ...inbox()],

  "message.created": (before, { channelId, messages }, event) => [
    ...unreadInChannel(before, channelId, messages, event),
    ...mentionsOfMany(before, channelId, messages),
    ...threadRaised(before, channelId),
  ],
  "message.changed": (before, { message }) =>
    message.editedAt === null
      ? []
      : [
          ...unreadMentions(before, message),
          ...(message.mentions !== undefined || before.messages[message.id] !== undefined ? inbox() : []),
        ],
  "message.deleted": (before, { message }) => [...unreadMentions(before, message), ...recountInbox(before)],
  "report.changed": (_, { groupId }) =>
    groupId === null
      ? [
          { name: "admin.listReports", params: {} },
          { name: "admin.getOpenReportCount", params: {} },
        ]
      : [
          { name: "report.list", params: { groupId } },
          { name: "report.getOpenCount", params: { groupId } },
        ],
  "joinRequest.changed": (_, { groupId }) => [
    { name: "join.list", params: { groupId } },
    { name: "join.getOpenCount", params: { groupId } },
  ],
  "inbox.added": inbox,
  "thread.followed": (before, { channelId }) => [
    ...newlyFollowed(before, channelId),
    { name: "channel.listFollowedThreads", params: {} },
  ],
  "inbox.updated": () => [{ name: "inbox.getUnreadCount", params: {} }],
  "notification.updated": (_, { setting }) =>
    setting.channelId === null ? [{ name: "channel.listUnread", params: {} }] : [],
  "bot.disabled": (_, { groupId }) => [{ name: "bot.list", params: { groupId } }],
};

/** About how many users receive an event of a group. */
function crowdOf({ groups }: ClientState, groupId: string | null): number {
  return groups?.[groupId ?? ""]?.memberCount ?? 1;
}

function permissions(before: ClientState, groupId: string): Invalidation[] {
  return [{ name: "group.myPermissions", params: { groupId }, crowd: crowdOf(before, groupId) }];
}

function channelChanged(before: ClientState, { kind, groupId, parentId }: Channel): Invalidation[] {
  if (kind === "thread") return [{ name: "channel.listThreads", params: { channelId: parentId! } }];
  return groupId === null ? [] : permissions(before, groupId);
}

function canHaveHistory({ private: isPrivate, createdAt, kind }: Channel): boolean {
  return isPrivate || kind === "groupDirect" || Date.now() - Date.parse(createdAt) >= NEW_WITHIN_MS;
}

/** The channel's head and read marker. */
function numbers(channelId: string): Invalidation[] {
  return [{ name: "channel.get", params: { channelId } }];
}

/** Events list only some users when many join or leave. */
function unlistedMembers(
  before: ClientState,
  groupId: string,
  memberCount: number,
  listed: number,
): Invalidation[] {
  const known = before.groups?.[groupId]?.memberCount;
  if (known === undefined || Math.abs(memberCount - known) <= Math.abs(listed)) return [];
  return [
    { name: "group.listMembers", params: { groupId }, crowd: memberCount },
    { name: "group.listMemberChanges", params: { groupId }, crowd: memberCount },
  ];
}

function unreadInChannel(
  before: ClientState,
  channelId: string,
  messages: readonly Message[],
  event: StateEvent,
): Invalidation[] {
  if (before.unread?.[channelId] !== undefined) return [];
  const channel = before.channels[channelId];
  const lastReadSeq = before.lastReadSeqs[channelId];
  if (channel === undefined || lastReadSeq === undefined) {
    if (before.unread === null && before.directs === null) return [];
    return [{ name: "channel.get", params: { channelId }, thenApply: event }];
  }
  if (channel.kind !== "thread" || before.unread === null) return [];
  const ownId = before.userId ?? "";
  const isOwn = ({ authorId, mentions }: Message): boolean =>
    authorId === ownId || mentions?.userIds.includes(ownId) === true;
  // The server lists only threads that the user follows: those they wrote in or read.
  if (channel.ownerId !== ownId && lastReadSeq === 0 && !messages.some(isOwn)) return [];
  return [{ name: "channel.listUnread", params: {}, afterMs: RECOUNT_MENTIONS_MS }];
}

/** A thread can have unread messages from before the server recorded that the user follows it. */
function newlyFollowed({ unread, heads, lastReadSeqs }: ClientState, channelId: string): Invalidation[] {
  if (unread === null || unread[channelId] !== undefined) return [];
  const isRead = heads[channelId] !== undefined && heads[channelId].seq <= (lastReadSeqs[channelId] ?? 0);
  return isRead ? [] : [{ name: "channel.listUnread", params: {} }];
}

/** Only the server knows whether a mention of roles or everyone includes the user. */
function mentionsOfMany(
  before: ClientState,
  channelId: string,
  messages: readonly Message[],
): Invalidation[] {
  const isForMany = ({ authorId, mentions }: Message): boolean =>
    authorId !== before.userId &&
    mentions !== undefined &&
    (mentions.everyone || mentions.roleIds.length > 0);
  if (!messages.some(isForMany)) return [];
  const crowd = crowdOf(before, before.channels[channelId]?.groupId ?? null);
  return [{ name: "channel.listUnread", params: {}, crowd, afterMs: RECOUNT_MENTIONS_MS }, ...inbox()];
}

/** Lists of threads are ordered by their last messages. */
function threadRaised(before: ClientState, channelId: string): Invalidation[] {
  const parentId = before.channels[channelId]?.parentId ?? null;
  return parentId === null
    ? []
    : [
        { name: "channel.listThreads", params: { channelId: parentId }, afterMs: REORDER_THREADS_MS },
        { name: "channel.listFollowedThreads", params: {}, afterMs: REORDER_THREADS_MS },
      ];
}

/** The change can add or remove a mention of the user. */
function unreadMentions(before: ClientState, { channelId, seq, mentions }: Message): Invalidation[] {
  const existing = before.unread?.[channelId];
  if (existing === undefined || seq <= existing.lastReadSeq) return [];
  if (existing.mentionCount === 0 && mentions === undefined) return [];
  return [{ name: "channel.listUnread", params: {}, afterMs: RECOUNT_MENTIONS_MS }];
}

function recountInbox({ inboxUnread }: ClientState): Invalidation[] {
  return (inboxUnread ?? 0) > 0
    ? [{ name: "inbox.getUnreadCount", params: {}, afterMs: RECOUNT_INBOX_MS }]
    : [];
}

/** An unread direct channel that is not listed was reopened by a message. */
export function unreadInvalidations({ unread, directs, channels }: ClientState): Invalidation[] {
  if (directs === null) return [];
  const isMissing = Object.values(unread ?? {}).some(
    ({ channelId, groupId, parentId }) =>
      groupId === null &&
      parentId === null &&
      !directs.includes(channelId) &&
      channels[channelId] === undefined,
  );
  return isMissing ? [{ name: "channel.listDirect", params: {} }] : [];
}
