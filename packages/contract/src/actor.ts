import type { User } from "./entities.ts";
import type { BotScope } from "./scopes.ts";

/** Who calls: only the gateway sets it, from a verified token. */
export interface Actor {
  userId: string;
  sessionId: string;
  kind: User["kind"];
  /** Only in admins of the instance. */
  admin?: true;
  /** What the token of a bot allows; absent in people. */
  scopes?: readonly BotScope[];
}

/** Where a call by HTTP came from. */
export interface CallClient {
  address: string;
  /** What the client calls itself: anything, and of any length. */
  userAgent: string | null;
}

/** What travels with every call. */
export interface CallMeta {
  actor: Actor | null;
  requestId: string;
  /** When the client's call came to the gateway, in milliseconds since the epoch; absent where no client asked. */
  askedAtMs?: number;
  /** When the caller stops waiting, in milliseconds since the epoch: see the kernel's `deadline.ts`. Absent: the call has no deadline. */
  deadlineMs?: number;
  client?: CallClient;
}
