/** What can be asked for besides words. */
export const FILTERS = ["from", "in", "has", "mentions", "before", "after"] as const;
export type FilterName = (typeof FILTERS)[number];

export interface Filter {
  name: FilterName;
  /** As it was typed, without quotes; empty while there is none yet. */
  value: string;
  /** Where it stands in the text. */
  start: number;
  end: number;
}

export interface Query {
  /** All that belongs to no filter. */
  words: string;
  filters: readonly Filter[];
}

/** `from:ada`, `in:"big plans"`, at the beginning of a word; the wide colon of Chinese keyboards is one too. */
const FILTER = /(?<=^|\s)(from|in|has|mentions|before|after)[:：](?:"([^"]*)"?|(\S*))/gi;

/** What somebody typed, taken apart. */
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

/** The filter that is being typed: the one that the caret stands in. */
export function filterAt({ filters }: Query, caret: number): Filter | null {
  return filters.find(({ name, start, end }) => caret > start + name.length && caret <= end) ?? null;
}

/** The text with a filter in place of another, or behind everything else. */
export function withFilter(text: string, name: FilterName, value: string, former?: Filter): string {
  const written = `${name}:${/\s/.test(value) ? `"${value}"` : value}`;
  if (former === undefined) return `${text.trimEnd()} ${written}`.trimStart();
  return `${text.slice(0, former.start)}${written} ${text.slice(former.end).trimStart()}`;
}

export function withoutFilter(text: string, { start, end }: Filter): string {
  return `${text.slice(0, start).trimEnd()} ${text.slice(end).trimStart()}`.trim();
}
