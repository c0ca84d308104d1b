import { useCallback, useLayoutEffect, useMemo, useReducer, useState } from "react";
import { useBlocked } from "../../../data/account.ts";
import type { ChannelMessages } from "../../../data/channel-messages.ts";
import { useServerCache } from "../../../data/data-context.ts";
import { useSame } from "../../../shared/use-same.ts";
import { useConversation } from "../conversation.ts";
import type { RowsInput } from "./rows.ts";
import { type StagedRows, finished, firstRows, nextRows } from "./staged-rows.ts";

export interface Rows extends Pick<StagedRows, "rows" | "isShift" | "place"> {
  unfoldedIds: ReadonlySet<string>;
  unfold: (firstId: string) => void;
}

const NONE: ReadonlySet<string> = new Set();
const NOTHING: readonly never[] = [];

/** The rows of what is shown of a channel. */
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
