import type { User } from "./entities.ts";
import type { BotScope } from "./scopes.ts";

/** The caller. Only the gateway sets it, from a verified token. */
export interface Actor {
  userId: string;
  sessionId: string;
  kind: User["kind"];
  /** Present only for admins of the instance. */
  admin?: true;
  /** The scopes of a bot's token; absent for other users. */
  scopes?: readonly BotScope[];
}

/** The origin of an HTTP call. */
export interface CallClient {
  address: string;
  /** As sent by the client: unchecked, and of any length. */
  userAgent: string | null;
}

/** Metadata of every call. */
export interface CallMeta {
  actor: Actor | null;
  requestId: string;
  /** When the gateway received the client's call, in milliseconds since the epoch; absent for calls without a client. */
  askedAtMs?: number;
  /** When the caller stops waiting, in milliseconds since the epoch: see the kernel's `request-scope.ts`. Absent: the call has no deadline. */
  deadlineMs?: number;
  client?: CallClient;
}
