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
import type { Channel, Message, Role } from "@fanfare/contract";
import { useBlocked } from "../../../data/me.ts";
import type { ChannelMessages } from "../../../data/channel-messages.ts";
import { useServerCache } from "../../../data/data-context.ts";
import { useSame } from "../../../shared/hooks.ts";
import { useConversation } from "../conversation.ts";
import { errorText } from "../../../shared/use-action.ts";
import { buildRows, type Row, type RowsInput } from "./rows.ts";

export interface Rows extends Pick<StagedRows, "rows" | "isShift" | "place"> {
  unfoldedIds: ReadonlySet<string>;
  unfold: (firstId: string) => void;
}

const NONE: ReadonlySet<string> = new Set();
const NOTHING: readonly never[] = [];

export function useRows(channel: ChannelMessages, readUpTo: number | null): Rows {
  const { view, snapshot, messages, isLive } = channel;
  const ownId = useServerCache().client.user?.id ?? "";
  const conversation = useConversation(view.channelId);
  const { data: blocked } = useBlocked();
  const blockedIds = useMemo(
    () => (blocked === undefined || blocked.length === 0 ? NONE : new Set(blocked.map(({ id }) => id))),
    [blocked],
  );
  const [unfoldedIds, setUnfoldedIds] = useState(NONE);
  const unfold = useCallback((firstId: string) => setUnfoldedIds((ids) => new Set(ids).add(firstId)), []);
  // What is sent comes at the end of the channel.
  const pending = isLive ? snapshot.pending : NOTHING;
  const unsent = isLive ? conversation.unsent : NOTHING;
  const input = useSame({ messages, pending, unsent, ownId, readUpTo, blockedIds, unfoldedIds });
  const [staged, advance] = useReducer(advanced, input, firstRows);
  if (staged.input !== input) advance(input);
  const isFinished = staged.rows === staged.target;
  useLayoutEffect(() => {
    if (!isFinished) advance("finish");
  }, [isFinished]);
  const { rows, isShift, place } = staged;
  return { rows, isShift, place, unfoldedIds, unfold };
}

function advanced(staged: StagedRows, to: RowsInput | "finish"): StagedRows {
  return to === "finish" ? finished(staged) : nextRows(staged, to);
}

export interface StagedRows {
  readonly input: RowsInput;
  readonly target: readonly Row[];
  /** What is shown now: the target, or a step on the way to it. */
  readonly rows: readonly Row[];
  /** Whether rows came or went at the start since those that were shown before. */
  readonly isShift: boolean;
  /** Grows when the rows are others altogether, so that a place in the list means nothing any more. */
  readonly place: number;
}

export function firstRows(input: RowsInput): StagedRows {
  const rows = buildRows(input);
  return { input, target: rows, rows, isShift: false, place: 0 };
}

/**
 * The rows of another input. Where both ends change, one of them is shown first, and the other by `finished`: a virtual list keeps
 * its place while one end changes, and cannot when both do.
 */
export function nextRows(before: StagedRows, input: RowsInput): StagedRows {
  const target = buildRows(input, before.target);
  if (isElsewhere(before.rows, target)) {
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
  return before[0]?.key !== after[0]?.key;
}

/** Whether there were messages and none of them is left. */
function isElsewhere(before: readonly Row[], target: readonly Row[]): boolean {
  const held = new Set(before.map(({ kind, key }) => (kind === "message" ? key : "")));
  const messages = target.filter(({ kind }) => kind === "message");
  return messages.length > 0 && held.size > 1 && !messages.some(({ key }) => held.has(key));
}

/** A step in which one end changes: what goes at the end goes first, what comes there comes last. */
function withoutNewEnd(before: readonly Row[], target: readonly Row[]): readonly Row[] {
  const isIn = (rows: readonly Row[]) => {
    const keys = new Set(rows.map(({ key }) => key));
    return ({ key }: Row): boolean => keys.has(key);
  };
  const lastThatStays = before.findLastIndex(isIn(target));
  if (lastThatStays < before.length - 1) return before.slice(0, lastThatStays + 1);
  return target.slice(0, target.findLastIndex(isIn(before)) + 1);
}

/** The copy that the SDK holds lets its oldest messages go beyond 5,000: before that, a look into the past goes on. */
const MAX_LIVE = 4900;

interface Pages {
  /** Why older messages could not be loaded; until `retry` nothing is tried. */
  error: string | null;
  loadOlder: () => void;
  loadNewer: () => void;
  retry: () => void;
}

export function usePageLoading(channel: ChannelMessages): Pages {
  const { snapshot, messages, hasOlder, hasNewer, isLive } = channel;
  const [error, setError] = useState<string | null>(null);
  const isLoading = useRef(false);

  const run = (work: () => Promise<unknown>) => {
    if (isLoading.current) return;
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
    // The window begins right before the copy, so the two are one list.
    return isFull && first !== undefined ? channel.jumpTo({ seq: first.seq - 1 }) : channel.loadOlder();
  };
  return {
    error,
    loadOlder: () => hasOlder && error === null && run(older),
    loadNewer: () => hasNewer && run(channel.loadNewer),
    retry: () => run(older),
  };
}

export type MessageDialog =
  | { kind: "delete"; message: Message }
  | { kind: "history"; message: Message }
  | { kind: "reactors"; message: Message; emoji: string };

export type OnUser = (userId: string, anchor: HTMLElement) => void;

/** What every message of a list needs to know. It stays the same object while nothing of it changes. */
export interface MessageContextValue {
  view: ChannelView;
  channel: Channel;
  /** What the user may in the channel, as bits. */
  permissions: number;
  ownId: string;
  /** The roles of the group that have a colour, the highest first. */
  coloredRoles: readonly Role[];
  mentionsMe: (message: Message) => boolean;
  jumpTo: (messageId: string) => void;
  openThread: (message: Message) => void;
  /** Shows the card of a user beside an element; undefined where there are no cards. */
  onUser: OnUser | undefined;
  ask: (dialog: MessageDialog) => void;
  /** Offers emoji for a message; null: for none any more. */
  setReacting: (messageId: string | null) => void;
}

export const MessageContext = createContext<MessageContextValue | null>(null);

export function useMessageContext(): MessageContextValue {
  const value = useContext(MessageContext);
  if (value === null) throw new Error("This is for components within a MessageList.");
  return value;
}
