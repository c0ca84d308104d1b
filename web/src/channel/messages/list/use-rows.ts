import {
  createContext,
  useCallback,
  useContext,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from "react";
import type { ChannelView } from "@fanfare/client";
import type { Channel, Ephemeral, MemberChange, Message, Role } from "@fanfare/contract";
import { useBlocked } from "../../../data/me.ts";
import type { ChannelMessages } from "../../../data/channel-messages.ts";
import { useMemberChanges } from "../../../data/members.ts";
import { useServerCache } from "../../../data/data-context.ts";
import { useSame } from "../../../shared/hooks.ts";
import { useConversation } from "../conversation.ts";
import { useEphemerals } from "../ephemerals.ts";
import { errorText } from "../../../shared/use-action.ts";
import { buildRows, type Row, type RowsInput } from "./rows.ts";

export interface Rows extends Pick<StagedRows, "rows" | "isShift" | "place"> {
  /** Whether these are all rows, not an intermediate step. */
  isFinished: boolean;
  unfoldedIds: ReadonlySet<string>;
  unfold: (firstId: string) => void;
}

const NONE: ReadonlySet<string> = new Set();
const NOTHING: readonly never[] = [];
/** Of the list of blocked users, which other sessions can change. Not every opened channel loads it again. */
const BLOCKED_STALE_MS = 60_000;

export function useRows(channel: ChannelMessages, readUpTo: number | null): Rows {
  const { view, snapshot, messages, isLive } = channel;
  const changes = useShownChanges(channel);
  const ephemerals = useShownEphemerals(channel);
  const ownId = useServerCache().client.user?.id ?? "";
  const conversation = useConversation(view.channelId);
  const { data: blocked } = useBlocked({ staleTime: BLOCKED_STALE_MS });
  const blockedIds = useMemo(
    () => (blocked === undefined || blocked.length === 0 ? NONE : new Set(blocked.map(({ id }) => id))),
    [blocked],
  );
  const [unfoldedIds, setUnfoldedIds] = useState(NONE);
  const unfold = useCallback((firstId: string) => setUnfoldedIds((ids) => new Set(ids).add(firstId)), []);
  // Pending messages belong at the end of the channel.
  const pending = isLive ? snapshot.pending : NOTHING;
  const unsent = isLive ? conversation.unsent : NOTHING;
  const input = useSame({
    messages,
    changes,
    ephemerals,
    pending,
    unsent,
    ownId,
    readUpTo,
    blockedIds,
    unfoldedIds,
  });
  const [staged, advance] = useReducer(advanced, input, firstRows);
  if (staged.input !== input) advance(input);
  const isFinished = staged.rows === staged.target;
  const { rows, isShift, place } = staged;
  useLayoutEffect(() => {
    // Also after a shift: a virtual list that is rendered again after an interruption would shift its rows again.
    if (!isFinished || isShift) advance("finish");
  }, [isFinished, isShift]);
  return { rows, isShift, place, isFinished, unfoldedIds, unfold };
}

/** The joins and departures in the part of the channel that is loaded, oldest first. */
function useShownChanges({ messages, hasOlder, isLive }: ChannelMessages): readonly MemberChange[] {
  const { channel } = useMessageContext();
  const all = useMemberChanges(channel);
  const first = hasOlder ? messages[0]?.createdAt : undefined;
  const last = isLive ? undefined : messages.at(-1)?.createdAt;
  return useMemo(() => {
    const isShown = ({ at }: MemberChange): boolean =>
      (first === undefined || at > first) && (last === undefined || at < last);
    return all.filter(isShown).toReversed();
  }, [all, first, last]);
}

/** The same for messages that only this user sees, which belong to the newest part. */
function useShownEphemerals({ view, messages, hasOlder, isLive }: ChannelMessages): readonly Ephemeral[] {
  const all = useEphemerals(view.channelId);
  const first = hasOlder ? messages[0]?.createdAt : undefined;
  return useMemo(
    () => (isLive ? all.filter(({ createdAt }) => first === undefined || createdAt > first) : NOTHING),
    [all, first, isLive],
  );
}

function advanced(staged: StagedRows, to: RowsInput | "finish"): StagedRows {
  return to === "finish" ? finished(staged) : nextRows(staged, to);
}

export interface StagedRows {
  readonly input: RowsInput;
  readonly target: readonly Row[];
  /** The target rows, or an intermediate step toward them. */
  readonly rows: readonly Row[];
  /** Whether rows were added or removed at the start. */
  readonly isShift: boolean;
  /** Incremented when all rows are replaced, so that the scroll position has no meaning anymore. */
  readonly place: number;
}

export function firstRows(input: RowsInput): StagedRows {
  const rows = buildRows(input);
  return { input, target: rows, rows, isShift: false, place: 0 };
}

/**
 * The rows for new input. If both ends change, one change is shown first and the other one by `finished`: a virtual list keeps its scroll
 * position only while one end changes.
 */
export function nextRows(before: StagedRows, input: RowsInput): StagedRows {
  const target = buildRows(input, { input: before.input, rows: before.target });
  if (isDisjoint(before.rows, target)) {
    return { input, target, rows: target, isShift: false, place: before.place + 1 };
  }
  const bothEnds = startsOtherwise(before.rows, target) && before.rows.at(-1)?.key !== target.at(-1)?.key;
  const rows = bothEnds ? withoutNewEnd(before.rows, target) : target;
  return { input, target, rows, isShift: startsOtherwise(before.rows, rows), place: before.place };
}

export function finished(staged: StagedRows): StagedRows {
  const { rows, target } = staged;
  return { ...staged, rows: target, isShift: startsOtherwise(rows, target) };
}

function startsOtherwise(before: readonly Row[], after: readonly Row[]): boolean {
  // Nothing is moved by the first rows of an empty list.
  return before.length > 0 && before[0]!.key !== after[0]?.key;
}

/** Whether none of the previous messages is left. */
function isDisjoint(before: readonly Row[], target: readonly Row[]): boolean {
  if (before[0] === target[0] && before[0] !== undefined) return false;
  const held = new Set(before.map(({ kind, key }) => (kind === "message" ? key : "")));
  const messages = target.filter(({ kind }) => kind === "message");
  return messages.length > 0 && held.size > 1 && !messages.some(({ key }) => held.has(key));
}

/** The step in which only one end changes: removals at the end come first, additions there come last. */
function withoutNewEnd(before: readonly Row[], target: readonly Row[]): readonly Row[] {
  const isIn = (rows: readonly Row[]) => {
    const keys = new Set(rows.map(({ key }) => key));
    return ({ key }: Row): boolean => keys.has(key);
  };
  const lastKept = before.findLastIndex(isIn(target));
  if (lastKept < before.length - 1) return before.slice(0, lastKept + 1);
  return target.slice(0, target.findLastIndex(isIn(before)) + 1);
}

/** The SDK drops the oldest messages of its live copy beyond 5,000; before that, a history window takes over. */
const MAX_LIVE = 4900;

interface Pages {
  /** Set if older messages couldn't be loaded; nothing is loaded until `retry`. */
  error: string | null;
  loadOlder: () => void;
  loadNewer: () => void;
  retry: () => void;
}

export function usePageLoading(channel: ChannelMessages): Pages {
  const { view, snapshot, messages, hasOlder, isLive } = channel;
  const [error, setError] = useState<string | null>(null);
  const isLoading = useRef(false);

  const run = (work: () => Promise<unknown>) => {
    // The page that was just loaded is only rendered in the next frame.
    if (isLoading.current || view.snapshot.messages[0]?.seq !== snapshot.messages[0]?.seq) return;
    isLoading.current = true;
    work()
      .then(
        () => setError(null),
        (failure: unknown) => setError(errorText(failure)),
      )
      .finally(() => {
        isLoading.current = false;
      });
  };

  const older = () => {
    const first = messages[0];
    const isFull = isLive && snapshot.messages.length >= MAX_LIVE && first === snapshot.messages[0];
    // The window ends right before the live copy, so the two join into one list.
    return isFull && first !== undefined ? channel.jumpTo({ seq: first.seq - 1 }) : channel.loadOlder();
  };
  return {
    error,
    loadOlder: () => hasOlder && error === null && run(older),
    loadNewer: () => !isLive && run(channel.loadNewer),
    retry: () => run(older),
  };
}

export type MessageDialog =
  | { kind: "delete"; message: Message }
  | { kind: "forward"; messages: readonly Message[] }
  | { kind: "deleteMany"; messages: readonly Message[]; others: number }
  | { kind: "history"; message: Message }
  | { kind: "remind"; message: Message }
  | { kind: "readers"; message: Message }
  | { kind: "report"; message: Message }
  | { kind: "reactors"; message: Message; emoji: string };

export type OnUser = (userId: string, anchor: HTMLElement) => void;

/** Shared by all messages of a list. Must be stable, since a new object renders all of them. */
export interface MessageContextValue {
  view: ChannelView;
  channel: Channel;
  /** The user's permissions in the channel, as bits. */
  permissions: number;
  ownId: string;
  /** The group's roles with a color, highest first. */
  coloredRoles: readonly Role[];
  mentionsMe: (message: Message) => boolean;
  jumpTo: (messageId: string) => void;
  openThread: (message: Message) => void;
  /** Opens a user's card next to an element; undefined where there are no cards. */
  onUser: OnUser | undefined;
  ask: (dialog: MessageDialog) => void;
  /** Opens the emoji picker for a message; null closes it. */
  setReacting: (messageId: string | null) => void;
}

export const MessageContext = createContext<MessageContextValue | null>(null);

export function useMessageContext(): MessageContextValue {
  const value = useContext(MessageContext);
  if (value === null) throw new Error("This is for components within a MessageList.");
  return value;
}
