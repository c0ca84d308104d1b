import type { ServerSample } from "../../measure/server-samples.ts";
import { short } from "../format.ts";
import type { Result } from "../result.ts";
import type { Block, Document } from "./document.ts";
import { sampleCharts } from "./sample-charts.ts";

const HEAD = new Set([
  "version",
  "command",
  "startedAt",
  "durationMs",
  "interrupted",
  "options",
  "environment",
  "thresholds",
]);
const MOST_ROWS = 60;

type Plain = string | number | boolean | null;

/** Every number of a result, section by section: for results without a better presentation. */
export function plainDocument(result: Result): Document {
  const body = Object.entries(result).filter(([key]) => !HEAD.has(key));
  const scalars = body.filter((entry): entry is [string, Plain] => isPlain(entry[1]));
  const sections = body.filter(([, value]) => !isPlain(value));
  return {
    title: `bench ${result.command}`,
    subtitle: scalars.map(([key, value]) => `${words(key)} ${text(value)}`).join(" · "),
    blocks: sections.flatMap(([key, value]) => sectionBlocks(words(key), value)),
  };
}

function sectionBlocks(heading: string, value: unknown): Block[] {
  if (Array.isArray(value)) return listBlocks(heading, value);
  const entries = Object.entries(value as object);
  const scalars = entries.filter((entry): entry is [string, Plain] => isPlain(entry[1]));
  const rows = scalars.map(([key, scalar]) => [words(key), text(scalar)]);
  return [
    ...(rows.length === 0
      ? []
      : [{ kind: "table" as const, heading: capital(heading), rows: [["", ""], ...rows] }]),
    ...entries
      .filter(([, inner]) => !isPlain(inner))
      .flatMap(([key, inner]) => sectionBlocks(`${heading}: ${words(key)}`, inner)),
  ];
}

function listBlocks(heading: string, items: readonly unknown[]): Block[] {
  if (items.length === 0) return [];
  if (items.every(isPlain)) return [{ kind: "notes", heading: capital(heading), lines: items.map(text) }];
  if (items.every(isSample)) return sampleCharts(items);
  const rows = items.slice(0, MOST_ROWS) as Record<string, unknown>[];
  const keys = Object.keys(rows[0] ?? {}).filter((key) => rows.every((row) => isPlain(row[key])));
  const lines = rows.map((row) => keys.map((key) => text(row[key] as Plain)));
  const note = items.length > MOST_ROWS ? { note: `The first ${MOST_ROWS} of ${items.length}.` } : {};
  return [{ kind: "table", heading: capital(heading), ...note, rows: [keys.map(words), ...lines] }];
}

function isPlain(value: unknown): value is Plain {
  return value === null || typeof value !== "object";
}

function isSample(value: unknown): value is ServerSample {
  return typeof value === "object" && value !== null && "deliveriesPerSecond" in value && "cpuCores" in value;
}

function text(value: Plain): string {
  if (value === null) return "–";
  if (typeof value !== "number") return String(value);
  return Number.isInteger(value) ? value.toLocaleString("en-US") : short(value);
}

/** "acknowledgedPerSecond" → "acknowledged per second". */
function words(key: string): string {
  return key.replace(
    /([a-z0-9])([A-Z])/g,
    (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`,
  );
}

function capital(heading: string): string {
  return heading.charAt(0).toUpperCase() + heading.slice(1);
}
