import { actionDefinition, isActionName, type ActionName, type EventPayload } from "@fanfare/contract";
import { can, type NodeContext, serviceError } from "@fanfare/kernel";
import type { Outbound } from "@fanfare/outbound";
import { PLUGIN_LIMITS, type PluginManifest } from "@fanfare/plugins";
import { z } from "zod";
import {
  CALLS_PER_CALL,
  FETCH_MAX_BYTES,
  FETCH_TIMEOUT_MS,
  PUBLISH_INTERVAL_MS,
  PUBLISHED_KEYS,
  PUBLISHED_KEYS_IN_ALL,
} from "./constants.ts";
import type { Handling } from "./handling.ts";
import type { Ask } from "./host/protocol.ts";
import type { ValueRepository } from "./value.repository.ts";

const key = z.string().min(1).max(PLUGIN_LIMITS.keyMaxChars);
const OfKey = z.object({ key });
const ToSet = z.object({ key, value: z.unknown() });
const ToList = z.object({ prefix: z.string().max(PLUGIN_LIMITS.keyMaxChars), after: key.optional() });
const ToCall = z.object({ action: z.string(), params: z.unknown(), userId: z.string().optional() });
const ToPublish = z.object({ key, data: z.unknown() });
/** Of the connection: another `host` would reach other sites of the same server. */
const OWN_HEADERS = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const headers = z
  .record(z.string(), z.string())
  .refine((given) => !Object.keys(given).some((name) => OWN_HEADERS.has(name.trim().toLowerCase())), {
    error: `${[...OWN_HEADERS].join(", ")} can't be set. Remove them.`,
  });
const ToFetch = z.object({
  url: z.string(),
  method: z.enum(["GET", "POST"]).default("GET"),
  headers: headers.default({}),
  body: z.string().max(FETCH_MAX_BYTES).optional(),
});

interface ServeOptions {
  manifest: PluginManifest;
  settings: Record<string, string>;
  node: Pick<NodeContext, "access" | "publish">;
  outbound: Pick<Outbound, "request">;
  values: ValueRepository;
}

/**
 * Answers what a plug-in asks for, within its permissions.
 * @throws {ServiceError} of a call; the plug-in can pass it on
 * @throws {Error} whose message the plug-in gets
 */
export function createServe({ manifest, settings, node, outbound, values }: ServeOptions) {
  const { name: plugin, server } = manifest;
  const publications = new Publications(node.publish);
  const origins = new Set(
    server!.hosts
      .map((host) => (host.startsWith("{") ? (settings[host.slice(1, -1)] ?? "") : host))
      .flatMap((host) => URL.parse(host)?.origin ?? []),
  );

  const serve: Record<Ask, (args: unknown, handling: Handling | null) => Promise<unknown>> = {
    async get(args) {
      const value = await values.get(plugin, OfKey.parse(args).key);
      return value === null ? null : JSON.parse(value);
    },

    async set(args) {
      const { key: ofValue, value } = ToSet.parse(args);
      const text = JSON.stringify(value ?? null);
      if (text.length > PLUGIN_LIMITS.valueMaxChars)
        throw new Error(`A stored value has at most ${PLUGIN_LIMITS.valueMaxChars} characters of JSON.`);
      if (!(await values.set(plugin, ofValue, text)))
        throw new Error(`A plug-in stores at most ${PLUGIN_LIMITS.valuesPerPlugin} values.`);
      return null;
    },

    async delete(args) {
      await values.remove(plugin, OfKey.parse(args).key);
      return null;
    },

    async list(args) {
      const { prefix, after } = ToList.parse(args);
      const found = await values.list(plugin, prefix, after);
      return found.map((each) => ({ key: each.key, value: JSON.parse(each.value) as unknown }));
    },

    async fetch(args) {
      const { body, ...request } = ToFetch.parse(args);
      const origin = URL.parse(request.url)?.origin;
      if (origin === undefined || !origins.has(origin))
        throw new Error(`server.hosts of plugin.json does not allow requests to ${origin ?? "this URL"}.`);
      const {
        status,
        contentType,
        body: content,
      } = await outbound.request({
        ...request,
        ...(body !== undefined && { body }),
        timeoutMs: FETCH_TIMEOUT_MS,
        maxBytes: FETCH_MAX_BYTES,
      });
      return { status, contentType, text: content.toString() };
    },

    async call(args, handling) {
      const { action, params, userId } = ToCall.parse(args);
      assertAllowed(manifest, action);
      assertRunning(handling);
      handling.calls += 1;
      if (handling.calls > CALLS_PER_CALL)
        throw new Error(`A handler can make at most ${CALLS_PER_CALL} calls.`);
      return handling.call(action, params, userId);
    },

    async publish(args, handling) {
      const { key: ofData, data } = ToPublish.parse(args);
      assertRunning(handling);
      const { place } = handling;
      if (place === null)
        throw new Error("Only handlers of message.stored and of actions with the rule channel can publish.");
      if (JSON.stringify(data ?? null).length > PLUGIN_LIMITS.publishedMaxChars)
        throw new Error(`Published data has at most ${PLUGIN_LIMITS.publishedMaxChars} characters of JSON.`);
      const { channelId, userId } = place;
      const access = await node.access.get(userId, { channelId });
      if (!can(access, "view")) throw serviceError("CHANNEL_NOT_FOUND");
      publications.add(access.rooms, { plugin, channelId, key: ofData, data: data ?? null });
      return null;
    },
  };
  return async (what: Ask, args: unknown, handling: Handling | null): Promise<unknown> => {
    try {
      return await serve[what](args, handling);
    } catch (error) {
      if (error instanceof z.ZodError) throw new Error(z.prettifyError(error), { cause: error });
      throw error;
    }
  };
}

function assertRunning(handling: Handling | null): asserts handling is Handling {
  if (handling === null) throw new Error("Handlers can only do this until they have answered.");
}

/** Actions that bots can't call, such as those of admins and of accounts, are not possible for plug-ins either. */
function assertAllowed({ server }: PluginManifest, action: string): asserts action is ActionName {
  const definition = isActionName(action) ? actionDefinition(action) : undefined;
  const scope = definition?.botScope ?? null;
  if (definition === undefined || definition.transports.length === 0 || scope === null || scope === "any")
    throw new Error(`Plug-ins can't call ${action}.`);
  if (!(server!.scopes as readonly string[]).includes(scope))
    throw new Error(`${action} needs the scope ${scope} in server.scopes of plugin.json.`);
}

type Published = EventPayload<"plugin.published">;

/** Sends what one plug-in publishes: of each key of a channel, at once and then the newest data of each interval. */
export class Publications {
  readonly #publish: NodeContext["publish"];
  /** By channel and then key; null: nothing new. */
  readonly #waiting = new Map<string, Map<string, (() => void) | null>>();
  /** Of all channels. */
  #keys = 0;

  constructor(publish: NodeContext["publish"]) {
    this.#publish = publish;
  }

  /** @throws {Error} for the plug-in if it publishes with too many keys */
  add(rooms: readonly string[], published: Published): void {
    const { channelId, key } = published;
    const ofChannel = this.#waiting.get(channelId) ?? new Map<string, (() => void) | null>();
    const send = () => this.#publish(rooms, "plugin.published", published);
    if (ofChannel.has(key)) {
      ofChannel.set(key, send);
      return;
    }
    if (ofChannel.size >= PUBLISHED_KEYS || this.#keys >= PUBLISHED_KEYS_IN_ALL)
      throw new Error(
        `Published too often: in ${PUBLISH_INTERVAL_MS} ms, ${PUBLISHED_KEYS} keys per channel and ${PUBLISHED_KEYS_IN_ALL} in all are possible. Publish less, or with the same key.`,
      );
    send();
    this.#waiting.set(channelId, ofChannel.set(key, null));
    this.#keys += 1;
    this.#sendLater(channelId, key, ofChannel);
  }

  #sendLater(channelId: string, key: string, ofChannel: Map<string, (() => void) | null>): void {
    setTimeout(() => {
      const send = ofChannel.get(key)!;
      if (send !== null) {
        ofChannel.set(key, null);
        this.#sendLater(channelId, key, ofChannel);
        send();
        return;
      }
      ofChannel.delete(key);
      this.#keys -= 1;
      if (ofChannel.size === 0) this.#waiting.delete(channelId);
    }, PUBLISH_INTERVAL_MS).unref();
  }
}
