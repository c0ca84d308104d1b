import { serviceError } from "@fanfare/kernel";

const SOURCES = ["read", "groups", "direct"] as const;
const ID = /^[0-9a-f]{24}$/;

/** How far an export has come. */
export interface Position {
  /** Where channels come from: those that were read, the rest of all that one is or was in, the rest of the direct ones. */
  source: (typeof SOURCES)[number];
  /** Behind what of the source: an id, or a cursor of the others. null: from its beginning. */
  at: string | null;
  /** Where in a channel of this page the last answer ended. */
  channelId?: string;
  nonce?: string;
}

export function formatPosition(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** @throws {ServiceError} VALIDATION_FAILED for what `formatPosition` did not make */
export function parsePosition(cursor: string): Position {
  const position = parseJson(Buffer.from(cursor, "base64url").toString());
  if (isPosition(position)) return position;
  const issues = [{ path: "cursor", message: "must be a cursor of the page before" }];
  throw serviceError("VALIDATION_FAILED", { issues });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isPosition(value: unknown): value is Position {
  if (typeof value !== "object" || value === null) return false;
  const { source, at, channelId, nonce } = value as Record<keyof Position, unknown>;
  const isText = (text: unknown) => text === undefined || typeof text === "string";
  const isAt = at === null || (typeof at === "string" && (source !== "read" || ID.test(at)));
  return SOURCES.some((known) => known === source) && isAt && isText(channelId) && isText(nonce);
}
