/** A report on one result, before it is rendered. */
export interface Document {
  title: string;
  subtitle: string;
  blocks: Block[];
}

export type Block =
  | { kind: "tiles"; tiles: Tile[] }
  | { kind: "chart"; heading: string; note?: string; svg: string }
  | { kind: "table"; heading: string; note?: string; rows: readonly (readonly string[])[] }
  | { kind: "notes"; heading: string; lines: string[] };

export interface Tile {
  label: string;
  value: string;
  note?: string;
  tone?: "good" | "bad";
}
