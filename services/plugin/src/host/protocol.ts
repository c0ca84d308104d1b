/** Messages between the server and the process of a plug-in: JSON, one per line. Without imports: the process has few of them. */

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

export type HostError =
  | { kind: "failed" }
  /** Its text is for the caller. */
  | { kind: "refused"; reason: string }
  /** A call of Fanfare failed, and the plug-in passes the error on. */
  | { kind: "passed"; code: string; data?: unknown }
  | { kind: "invalid"; issues: { path: string; message: string }[] };

/** What plug-ins ask the server for. */
export const ASKS = ["call", "fetch", "get", "set", "delete", "list"] as const;
export type Ask = (typeof ASKS)[number];

export type FromHost =
  | { type: "ready"; actions: string[]; events: string[] }
  | { type: "unusable"; reason: string }
  | { type: "done"; id: number; ok: true; data: unknown }
  | { type: "done"; id: number; ok: false; error: HostError }
  /** `of`: the call that it belongs to. */
  | { type: "ask"; id: number; of: number | null; what: Ask; args: unknown }
  | { type: "pong"; id: number };
