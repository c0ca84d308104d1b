import type { Target } from "../targets/target.ts";

/** 1234567 → "1,234,567". */
export function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** Three significant digits below 1,000, integers above. */
export function short(value: number): string {
  if (Math.abs(value) >= 100) return whole(value);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

const orDash =
  (text: (value: number) => string) =>
  (value: number | null | undefined): string =>
    value === null || value === undefined ? "–" : text(value);

export const ms = orDash((value) => `${short(value)} ms`);
/** The same without the unit, for columns with a unit. */
export const shortOrDash = orDash(short);
export const mib = orDash((bytes) => `${short(bytes / 1024 / 1024)} MiB`);
export const kib = orDash((bytes) => `${short(bytes / 1024)} KiB`);
export const ratio = orDash((value) => `${value.toFixed(2)} ×`);

export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

export function count(amount: number, noun: string, plural = `${noun}s`): string {
  return `${Number.isInteger(amount) ? whole(amount) : short(amount)} ${amount === 1 ? noun : plural}`;
}

/** Only the texts that apply: `isSo && "text"`. */
export function applying(...texts: readonly (string | false | null | undefined)[]): string[] {
  return texts.filter((text) => typeof text === "string");
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** The measured server, with what was started. */
export function serverText({
  name,
  urls,
  isThrowaway,
  size,
}: Pick<Target, "name" | "urls" | "isThrowaway" | "size">): string {
  if (!isThrowaway) return `${name} at ${urls.join(", ")}`;
  return applying(`${name}, started for this run`, size).join(": ");
}

/** A column with a longer cell holds text. */
const MOST_NUMBER_CHARS = 24;

/** Columns of a table, each as wide as its widest cell; numbers are aligned right. */
export function table(rows: readonly (readonly string[])[], indent = "  "): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => {
          const isText = i === 0 || widths[i]! > MOST_NUMBER_CHARS;
          return isText ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!);
        })
        .join("  "),
    )
    .map((line) => (indent + line).trimEnd())
    .join("\n");
}
