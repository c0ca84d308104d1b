import ipaddr from "ipaddr.js";

type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, prefixBits: number];

/** Decides which addresses can be connected to. */
export interface AddressRules {
  /** Whether the address is public or explicitly allowed. */
  allows(address: string): boolean;
  /** Whether the address is in an explicitly allowed network. */
  allowsExplicitly(address: string): boolean;
}

/**
 * @param allow networks such as `10.1.0.0/16`, or single addresses, that are allowed even though they aren't public
 * @throws {TypeError} naming the invalid entry
 */
export function createAddressRules(allow: readonly string[]): AddressRules {
  const networks = allow.map(parseNetwork);
  const allowsExplicitly = (text: string): boolean => {
    const address = parse(text);
    return address !== null && networks.some((network) => isIn(address, network));
  };
  return {
    allowsExplicitly,
    allows: (text) => isPublic(parse(text)) || allowsExplicitly(text),
  };
}

/**
 * Whether an address is globally routable unicast: not private, loopback, link-local (cloud metadata services), unique local,
 * carrier-grade NAT (RFC 6598), multicast or reserved, and not an IPv6 address that is translated or tunneled to IPv4.
 */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6 | null): boolean {
  if (address === null || address.range() !== "unicast") return false;
  // All global unicast IPv6 addresses are in 2000::/3.
  return address.kind() === "ipv4" || address.match(GLOBAL_UNICAST);
}

const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/** Converts ::ffff:10.0.0.1 to 10.0.0.1. Only local addresses have a zone such as %eth0, so those are rejected. */
function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (text.includes("%") || !ipaddr.isValid(text)) return null;
  return ipaddr.process(text);
}

function parseNetwork(entry: string): Network {
  try {
    if (entry.includes("/")) return ipaddr.parseCIDR(entry);
    const address = ipaddr.parse(entry);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  } catch {
    throw new TypeError(`"${entry}" is neither an IP address nor a network such as 10.0.0.0/8.`);
  }
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, [base, bits]: Network): boolean {
  if (address.kind() !== base.kind()) return false;
  return address.match(base, bits);
}
