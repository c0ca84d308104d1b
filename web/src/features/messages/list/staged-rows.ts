import { type Row, type RowsInput, buildRows } from "./rows.ts";

/** The rows that are shown, and those that will be. */
export interface StagedRows {
  readonly input: RowsInput;
  /** The rows of the input. */
  readonly target: readonly Row[];
  /** What is shown now: the target, or on the way to it the rows that stay. */
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
 * The rows of another input. Where some come at one end and others go at the other, those that stay are shown first, and the
 * rest by `finished`: a virtual list keeps its place while one end changes, and cannot when both do.
 */
export function nextRows(before: StagedRows, input: RowsInput): StagedRows {
  const target = buildRows(input, before.target);
  if (isElsewhere(before.rows, target)) {
    return { input, target, rows: target, isShift: false, place: before.place + 1 };
  }
  const isShift = before.rows[0]?.key !== target[0]?.key;
  const endsOtherwise = before.rows.at(-1)?.key !== target.at(-1)?.key;
  const rows = isShift && endsOtherwise ? staying(before.rows, target) : target;
  return { input, target, rows, isShift, place: before.place };
}

export function finished(staged: StagedRows): StagedRows {
  const { rows, target } = staged;
  return { ...staged, rows: target, isShift: rows[0]?.key !== target[0]?.key };
}

/** Whether there were messages and none of them is left. */
function isElsewhere(before: readonly Row[], target: readonly Row[]): boolean {
  const held = new Set(before.map(({ kind, key }) => (kind === "message" ? key : "")));
  const messages = target.filter(({ kind }) => kind === "message");
  return messages.length > 0 && held.size > 1 && !messages.some(({ key }) => held.has(key));
}

/** The rows from the first to the last that were there before. */
function staying(before: readonly Row[], target: readonly Row[]): readonly Row[] {
  const held = new Set(before.map(({ key }) => key));
  const wasThere = ({ key }: Row): boolean => held.has(key);
  const first = target.findIndex(wasThere);
  return first < 0 ? target : target.slice(first, target.findLastIndex(wasThere) + 1);
}
