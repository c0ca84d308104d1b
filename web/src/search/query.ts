export const FILTERS = ["from", "in", "has", "mentions", "before", "after"] as const;
export type FilterName = (typeof FILTERS)[number];

export interface Filter {
  name: FilterName;
  /** Without quotes; empty if nothing has been typed yet. */
  value: string;
  /** Its position in the text. */
  start: number;
  end: number;
}

export interface Query {
  /** The text without filters. */
  words: string;
  filters: readonly Filter[];
}

/** `from:ada`, `in:"big plans"`, at the start of a word. Chinese keyboards type a full-width colon. */
const FILTER = /(?<=^|\s)(from|in|has|mentions|before|after)[:：](?:"([^"]*)"?|(\S*))/gi;

export function parseQuery(text: string): Query {
  const filters = [...text.matchAll(FILTER)].map((match): Filter => {
    const [whole, name = "", quoted, plain = ""] = match;
    return {
      name: name.toLowerCase() as FilterName,
      value: (quoted ?? plain).trim(),
      start: match.index,
      end: match.index + whole.length,
    };
  });
  return { words: text.replace(FILTER, " ").replace(/\s+/g, " ").trim(), filters };
}

/** The filter at the caret. */
export function filterAt({ filters }: Query, caret: number): Filter | null {
  return filters.find(({ name, start, end }) => caret > start + name.length && caret <= end) ?? null;
}

/** Replaces a filter, or appends one. */
export function withFilter(text: string, name: FilterName, value: string, former?: Filter): string {
  const formatted = `${name}:${/\s/.test(value) ? `"${value}"` : value}`;
  if (former === undefined) return `${text.trimEnd()} ${formatted}`.trimStart();
  return `${text.slice(0, former.start)}${formatted} ${text.slice(former.end).trimStart()}`;
}

export function withoutFilter(text: string, { start, end }: Filter): string {
  return `${text.slice(0, start).trimEnd()} ${text.slice(end).trimStart()}`.trim();
}
