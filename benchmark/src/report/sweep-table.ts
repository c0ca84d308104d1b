import { kib, ms, whole } from "./format.ts";
import type { SweepRow } from "./result.ts";

/** With fewer, the server's fixed memory hides that of its connections. */
const FEWEST_FOR_MEMORY = 1000;

/** Rows of text, starting with the heading. */
export function sweepTable(rows: readonly SweepRow[]): string[][] {
  const sizes = [...new Set(rows.flatMap((row) => row.bursts.map(({ messages }) => messages)))];
  const rate = (value: number | null) => (value === null ? "–" : `${whole(value)}/s`);
  const header = [
    "members",
    "worst",
    "median",
    "first",
    "cold",
    ...sizes.map((size) => `burst of ${size}`),
    "joined",
    "logged in",
    "memory each",
    "CPU/message",
    "lost",
  ];
  return [
    header,
    ...rows.map((row) => [
      whole(row.users),
      ms(row.worstMs),
      ms(row.medianMs),
      ms(row.firstMs),
      ms(row.coldMs),
      ...sizes.map((size) => ms(row.bursts.find(({ messages }) => messages === size)?.allMs)),
      rate(row.registrationsPerSecond),
      rate(row.connectsPerSecond),
      row.users < FEWEST_FOR_MEMORY ? "–" : kib(row.rssPerConnectionBytes),
      ms(row.cpuMsPerMessage),
      whole(row.lost),
    ]),
  ];
}
