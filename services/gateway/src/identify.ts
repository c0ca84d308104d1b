import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6 } from "node:net";
import { type Actor, entryLimit, type NodeContext, serviceError, WorkQueue } from "@fanfare/kernel";
import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { Caller } from "./calls.ts";
import {
  BOT_TOKEN_TTL_MS,
  MAX_BOT_LOOKUPS,
  MAX_CACHED_BOT_TOKENS,
  OVERLOADED_RETRY_MS,
} from "./constants.ts";
import type { EndedSessions } from "./sessions.ts";

/** Resolves an access token to its actor: synchronously for users, with an occasional lookup for bots. */
export type Identify = (accessToken: unknown) => Actor | Promise<Actor>;

const BOT_TOKEN = /^fbot\.[0-9a-f]{24}\.[\w-]{43}$/;

/** @returns a function that throws, or rejects with, UNAUTHENTICATED, TOKEN_EXPIRED or SESSION_REVOKED */
export function createIdentify(
  { tokens, services }: Pick<NodeContext, "tokens" | "services">,
  ended: EndedSessions,
): Identify {
  /** Keyed by token hash, so that no token is stored. Ended sessions are still rejected immediately. */
  const bots = new LRUCache<string, Actor>({ ...entryLimit(MAX_CACHED_BOT_TOKENS), ttl: BOT_TOKEN_TTL_MS });
  // Made-up tokens must not load the database.
  const lookups = new WorkQueue({ atOnce: MAX_BOT_LOOKUPS, waiting: 0, retryAfterMs: OVERLOADED_RETRY_MS });

  const requireAlive = (actor: Actor): Actor => {
    if (ended.has(actor.sessionId)) throw serviceError("SESSION_REVOKED");
    return actor;
  };
  const identifyBot = async (token: string): Promise<Actor> => {
    const key = createHash("sha256").update(token).digest("base64url");
    const known = bots.get(key);
    if (known !== undefined && !ended.has(known.sessionId)) return known;
    const found = await lookups.run(() => services.bot.authenticate({ token }));
    const actor: Actor = { kind: "bot", ...found };
    bots.set(key, actor);
    return requireAlive(actor);
  };

  return (accessToken) => {
    if (typeof accessToken !== "string") throw serviceError("UNAUTHENTICATED");
    if (BOT_TOKEN.test(accessToken)) return identifyBot(accessToken);
    return requireAlive(tokens.verify(accessToken));
  };
}

/** The token of a request; undefined when it is missing or malformed. */
export function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

/**
 * The caller of a request.
 * @param identify null: don't authenticate
 * @throws {ServiceError} when its token is invalid or expired
 */
export async function callerOf(
  request: FastifyRequest,
  identify: Identify | null,
  { trustProxy }: { trustProxy: TrustedProxies },
): Promise<Caller> {
  const { authorization, "user-agent": userAgent = null } = request.headers;
  const isNamed = identify !== null && authorization !== undefined;
  const actor = isNamed ? await identify(bearerToken(request)) : null;
  return { actor, address: clientAddress(request.raw, trustProxy), userAgent, requestId: request.id };
}

/** The number of proxies in front of this server, or their addresses and networks. */
export type TrustedProxies = number | readonly string[];

/**
 * The key for rate limits of callers without an account: the IPv4 address, or the /64 network of an IPv6 address, which is what
 * one customer gets.
 * @param trusted the proxies, which append the address they see to X-Forwarded-For; clients can write anything before that
 */
export function clientAddress(request: IncomingMessage, trusted: TrustedProxies): string {
  const remote = request.socket.remoteAddress ?? "unknown";
  if (trusted === 0) return normalizeAddress(remote);
  const way = [...forwardedFor(request), remote];
  if (typeof trusted === "number") return normalizeAddress(way[Math.max(0, way.length - 1 - trusted)]!);
  const networks = networksOf(trusted);
  return normalizeAddress(way.findLast((address) => !contains(networks, address)) ?? way[0]!);
}

/** Whether the connection comes from a trusted proxy. */
export function isFromProxy({ socket }: IncomingMessage, trusted: TrustedProxies): boolean {
  if (typeof trusted === "number") return trusted > 0;
  return contains(networksOf(trusted), socket.remoteAddress ?? "");
}

/**
 * Whether the Host header is neither an IP address, nor `localhost`, nor the host of `publicUrl`. On an instance that listens on
 * a loopback address, this indicates DNS rebinding: a page whose hostname was made to resolve to 127.0.0.1.
 */
export function hasForeignHost({ headers }: IncomingMessage, publicUrl: string): boolean {
  const name = URL.parse(`http://${headers.host ?? ""}`)?.hostname;
  if (name === undefined) return true;
  const isLocal = name === "localhost" || name.endsWith(".localhost");
  return !isLocal && !isAddress(name) && name !== new URL(publicUrl).hostname;
}

/** @param hostname of a URL, which has IPv6 addresses in brackets */
export const isAddress = (hostname: string): boolean => isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;

function forwardedFor({ headers }: IncomingMessage): string[] {
  const header = headers["x-forwarded-for"];
  const addresses = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",");
  return addresses.map((address) => address.trim()).filter((address) => address !== "");
}

const lists = new WeakMap<readonly string[], BlockList>();

function networksOf(trusted: readonly string[]): BlockList {
  const known = lists.get(trusted);
  if (known !== undefined) return known;
  const list = new BlockList();
  for (const network of trusted) {
    const [address = "", prefix] = network.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  lists.set(trusted, list);
  return list;
}

function contains(networks: BlockList, address: string): boolean {
  const plain = unmapped(address);
  const version = isIP(plain);
  return version !== 0 && networks.check(plain, version === 6 ? "ipv6" : "ipv4");
}

const unmapped = (address: string): string => /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;

/** @param address as formatted by Node */
export function normalizeAddress(address: string): string {
  const plain = unmapped(address);
  return isIPv6(plain) ? network64(plain) : plain.slice(0, 64);
}

function network64(address: string): string {
  const [head = "", tail = ""] = address.toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === "" ? [] : tail.split(":");
  const omitted = Array.from({ length: 8 - groups.length - after.length }, () => "0");
  return `${[...groups, ...omitted, ...after].slice(0, 4).join(":")}::/64`;
}
