import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6 } from "node:net";

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
