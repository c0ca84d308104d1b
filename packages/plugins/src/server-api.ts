import type { Result, Params, ActionName } from "@fanfare/contract";
import type { z } from "zod";

/** The user who called an action. */
export interface Caller {
  userId: string;
  kind: "member" | "guest" | "bot";
}

/** A call of one of the plug-in's actions. */
export interface ServerRequest<P> {
  params: P;
  caller: Caller;
  /** Calls an action of Fanfare as the caller, until this call is answered. It needs a scope of `plugin.json`. */
  call<N extends ActionName>(name: N, params: Params<N>): Promise<Result<N>>;
  /** Only for actions with the rule `channel`. */
  publish: Publish;
}

/**
 * Sends data to the panels of the plug-in that are open in the channel: at once, and then the newest data of each key four times a
 * second. Up to 4096 characters of JSON.
 */
export type Publish = (key: string, data: unknown) => Promise<void>;

/** What a handler of an event can do until it has ended. */
export interface EventRequest {
  /**
   * Calls an action of Fanfare as the author of one of the event's messages, in their group. It needs a scope of `plugin.json`.
   * Messages that it sends have the name of the plug-in. Not for messages of bots, webhooks and plug-ins.
   */
  callAs<N extends ActionName>(userId: string, name: N, params: Params<N>): Promise<Result<N>>;
  /** Only for `message.stored`. */
  publish: Publish;
}

export interface ServerAction<S extends z.ZodType = z.ZodType> {
  params: S;
  /** Its result must be JSON. */
  handle(request: ServerRequest<z.output<S>>): unknown;
}

/** The events that a plug-in can receive. Most can be lost when a process ends. */
export interface ServerEvents {
  /** New messages in a group. Never of direct messages. */
  "message.stored": {
    channelId: string;
    groupId: string;
    messages: { id: string; authorId: string; content: string }[];
  };
  /** All messages of these channels are being removed. */
  "channel.emptied": { channelIds: string[] };
  /** Repeated until the handler succeeds. */
  "user.deleted": { userId: string };
}

export interface FetchResponse {
  status: number;
  contentType: string;
  /** Up to 256 KiB. */
  text: string;
}

/** What a server plug-in gets from Fanfare. */
export interface ServerApi {
  /** zod 4, for params. */
  z: typeof z;
  /** The values of the settings that are set. */
  settings: Readonly<Record<string, string>>;
  /** Sends a request to one of the hosts of `plugin.json`. It doesn't follow redirects. */
  fetch(
    url: string,
    options?: { method?: "GET" | "POST"; headers?: Record<string, string>; body?: string },
  ): Promise<FetchResponse>;
  /** The plug-in's own values, which are JSON. Shared by all processes of a cluster. */
  store: {
    /** @returns null if there is none */
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown): Promise<void>;
    delete(key: string): Promise<void>;
    /** The values whose keys start with a prefix, by key: at most 1000, and 512 KiB. `after` is the last key of the page before. Only an empty page is the end. */
    list(prefix: string, after?: string): Promise<{ key: string; value: unknown }[]>;
  };
  /** An error whose text the caller sees. */
  refuse(reason: string): Error;
}

/** What the default export of a plug-in's server returns. */
export interface ServerPlugin {
  actions?: Record<string, ServerAction<any>>;
  events?: { [N in keyof ServerEvents]?: (payload: ServerEvents[N], request: EventRequest) => unknown };
}

/** The default export of a plug-in's server. */
export type CreateServerPlugin = (api: ServerApi) => ServerPlugin | Promise<ServerPlugin>;
