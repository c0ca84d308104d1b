import { serviceError } from "@fanfare/kernel";
import { z } from "zod";

const Position = z.object({
  /** Where channels come from: those that were read, the rest of the groups', the rest of the direct ones. */
  source: z.enum(["read", "groups", "direct"]),
  /** Behind what of the source; null: from its beginning. */
  at: z.string().nullable(),
  /** Where in a channel of this page the last answer ended. */
  channelId: z.string().optional(),
  nonce: z.string().optional(),
});

/** How far an export has come. */
export type Position = z.output<typeof Position>;

export function formatPosition(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** @throws {ServiceError} VALIDATION_FAILED */
export function parsePosition(cursor: string): Position {
  try {
    return Position.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch {
    const issues = [{ path: "cursor", message: "must be a cursor of the page before" }];
    throw serviceError("VALIDATION_FAILED", { issues });
  }
}
