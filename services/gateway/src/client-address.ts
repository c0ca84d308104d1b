import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";

/**
 * What a caller without an account is counted by: the IPv4 address, or the /64 network of an IPv6 address, which is
 * what one customer gets.
 * @param trustProxy take the last address of X-Forwarded-For, the one that our own proxy has seen; those before it are
 * whatever the client wrote
 */
export function clientAddress(request: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? lastForwarded(request) : undefined;
  return normaliseAddress(forwarded ?? request.socket.remoteAddress ?? "unknown");
}

function lastForwarded({ headers }: IncomingMessage): string | undefined {
  const header = headers["x-forwarded-for"];
  const addresses = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",");
  const last = addresses.at(-1)?.trim();
  return last === "" ? undefined : last;
}

/** @param address as Node writes it */
export function normaliseAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  return isIPv6(address) ? network64(address) : address.slice(0, 64);
}

function network64(address: string): string {
  const [head = "", tail = ""] = address.toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === "" ? [] : tail.split(":");
  const omitted = Array.from({ length: 8 - groups.length - after.length }, () => "0");
  return `${[...groups, ...omitted, ...after].slice(0, 4).join(":")}::/64`;
}
