import { type Row, type RowsInput, buildRows } from "./rows.ts";

/** The rows that are shown, and those that will be. */
export interface StagedRows {
  readonly input: RowsInput;
  /** The rows of the input. */
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
