import type { BotScope, User, Maintenance, Message, ModalErrors, StoredPolicy } from "./entities.ts";
import type { EventPayload } from "./events.ts";

/** The services that a process can host. */
export const SERVICES = [
  "gateway",
  "user",
  "group",
  "message",
  "presence",
  "search",
  "bot",
  "preview",
  "admin",
  "file",
  "inbox",
  "call",
  "plugin",
] as const;
export type ServiceName = (typeof SERVICES)[number];

/** A gateway is not ready unless it can reach each of these. */
export const ESSENTIAL_SERVICES: readonly ServiceName[] = ["user", "group", "message"];

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

/** Who handles an event: every process, or one process of each service that listens. */
interface DomainEventDefinition<P> {
  delivery: "everyProcess" | "oneProcess";
  /** Only for the type of the payload; never set. */
  payload?: P;
}

const everyProcess = <P>(): DomainEventDefinition<P> => ({ delivery: "everyProcess" });
const oneProcess = <P>(): DomainEventDefinition<P> => ({ delivery: "oneProcess" });

/** Events between services. Clients receive the events in `events.ts` instead. */
export const DOMAIN_EVENTS = {
  /** The permissions of a user, or of all users if userId is null, changed in a group, or in a channel outside of groups. */
  "access.changed": everyProcess<{ groupId: string; userId: string | null }>(),
  "session.ended": everyProcess<{ userId: string; sessionIds: string[] }>(),
  /** A session continues with other rights: a guest has become an account. */
  "session.changed": everyProcess<Actor>(),
  "server.announced": everyProcess<EventPayload<"server.announced">>(),
  "maintenance.changed": everyProcess<Maintenance>(),
  /** Admins have changed the policy of the instance. */
  "policy.changed": everyProcess<StoredPolicy>(),
  /** A bot has acknowledged an interaction; the process that waits for that can be any. */
  "interaction.acknowledged": everyProcess<{ interactionId: string; botId: string; errors: ModalErrors }>(),
  "user.profileChanged": oneProcess<{ user: User }>(),
  /** All messages of these channels are being removed. */
  "channel.emptied": oneProcess<{ channelIds: string[] }>(),
  /** These messages expired. */
  "message.removed": oneProcess<{ channelId: string; messageIds: string[] }>(),
  /**
   * New messages of a channel are on disk, for work that can be lost in a crash: previews, pushes, bots. Published only if a service
   * listens.
   */
  "message.stored": oneProcess<{ channelId: string; groupId: string | null; messages: Message[] }>(),
  /** A message has a new text, also for work that can be lost. */
  "message.edited": oneProcess<{ message: Message }>(),
};

export type DomainEventName = keyof typeof DOMAIN_EVENTS;
export type DomainEvents = {
  [N in DomainEventName]: NonNullable<(typeof DOMAIN_EVENTS)[N]["payload"]>;
};
