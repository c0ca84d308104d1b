/** Messages between the server and the process of a plug-in: JSON, one per line. The process imports only the types. */
import { z } from "zod";

export interface HostCaller {
  userId: string;
  kind: "member" | "guest" | "bot";
}

export type ToHost =
  | { type: "start"; file: string; settings: Record<string, string> }
  | { type: "action"; id: number; name: string; params: unknown; caller: HostCaller }
  | { type: "event"; id: number; name: string; payload: unknown }
  | { type: "answer"; id: number; ok: true; data: unknown }
  /** `code`: of the failed call. */
  | { type: "answer"; id: number; ok: false; reason: string; code?: string; data?: unknown }
  | { type: "ping"; id: number };

const id = z.int().min(0);

const HostError = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("failed") }),
  /** Its text is for the caller. */
  z.object({ kind: z.literal("refused"), reason: z.string() }),
  /** A call of Fanfare failed, and the plug-in passes the error on. */
  z.object({ kind: z.literal("passed"), code: z.string(), data: z.unknown().optional() }),
  z.object({
    kind: z.literal("invalid"),
    issues: z.array(z.object({ path: z.string(), message: z.string() })),
  }),
]);
export type HostError = z.output<typeof HostError>;

/** What plug-ins ask the server for. */
const Ask = z.enum(["call", "publish", "fetch", "get", "set", "delete", "list"]);
export type Ask = z.output<typeof Ask>;

export const FromHost = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready"), actions: z.array(z.string()), events: z.array(z.string()) }),
  z.object({ type: z.literal("unusable"), reason: z.string() }),
  z.object({ type: z.literal("pong"), id }),
  /** `of`: the action or event that it belongs to. */
  z.object({ type: z.literal("ask"), id, of: id.nullable(), what: Ask, args: z.unknown().optional() }),
  z.object({ type: z.literal("done"), id, data: z.unknown().optional() }),
  z.object({ type: z.literal("failed"), id, error: HostError }),
]);
export type FromHost = z.output<typeof FromHost>;
