import { useCallback, useEffect, useLayoutEffect, useReducer } from "react";
import type { ChannelMessages } from "../../../data/channel-messages.ts";
import { errorText } from "../../../shared/use-action.ts";
import { showToast } from "../../../ui/toast.tsx";
import type { Row } from "./rows.ts";
import type { Scroll } from "./use-scroll.ts";

/** How long a message that was jumped to is marked. */
const HIGHLIGHT_MS = 2500;

type Place = Parameters<ChannelMessages["jumpTo"]>[0];

export interface Jump {
  highlightedId: string | null;
  /** Never rejects: what cannot be shown is told. */
  jump: (place: Place) => void;
}

interface JumpState {
  highlightedId: string | null;
  /** What is to be shown as soon as it is among the rows. */
  wantedSeq: number | null;
}

const NOWHERE: JumpState = { highlightedId: null, wantedSeq: null };

function merge(state: JumpState, changes: Partial<JumpState>): JumpState {
  return { ...state, ...changes };
}

/** Shows a message, a seq or a time, wherever in the channel it is. */
export function useJump(
  { jumpTo }: Pick<ChannelMessages, "jumpTo">,
  rows: readonly Row[],
  toRow: Scroll["toRow"],
): Jump {
  const [{ highlightedId, wantedSeq }, change] = useReducer(merge, NOWHERE);

  useLayoutEffect(() => {
    if (wantedSeq === null) return;
    const index = rows.findIndex((row) => row.kind === "message" && row.message.seq >= wantedSeq);
    const row = rows[index];
    if (row === undefined) return;
    toRow(index, "center");
    change({ wantedSeq: null, highlightedId: row.key });
  }, [rows, wantedSeq, toRow]);

  useEffect(() => {
    if (highlightedId === null) return undefined;
    const timer = setTimeout(() => change({ highlightedId: null }), HIGHLIGHT_MS);
    return () => clearTimeout(timer);
  }, [highlightedId]);

  const jump = useCallback(
    (place: Place) => {
      jumpTo(place).then(
        (seq) => change({ wantedSeq: seq }),
        (error: unknown) => showToast({ text: errorText(error), tone: "danger" }),
      );
    },
    [jumpTo],
  );
  return { highlightedId, jump };
}
