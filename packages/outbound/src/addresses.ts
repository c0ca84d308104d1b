import ipaddr from "ipaddr.js";

type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, prefixBits: number];

/** Says which addresses may be connected to. */
export interface AddressRules {
  /** Whether the address is public or explicitly allowed. */
  allows(address: string): boolean;
  /** Whether it is in one of the networks that are allowed by name. */
  allowsByName(address: string): boolean;
}

/**
 * @param allow networks such as `10.1.0.0/16`, or single addresses, that are allowed although they are not public
 * @throws {TypeError} that names the entry which is neither
 */
export function createAddressRules(allow: readonly string[]): AddressRules {
  const networks = allow.map(parseNetwork);
  const allowsByName = (text: string): boolean => {
    const address = parse(text);
    return address !== null && networks.some((network) => isIn(address, network));
  };
  return {
    allowsByName,
    allows: (text) => isPublic(parse(text)) || allowsByName(text),
  };
}

/**
 * Public is what the registries give to the Internet: not private, loopback, link-local (the metadata services of clouds are there), unique local, shared
 * (RFC 6598), multicast, reserved, nor an IPv6 address that leads to an IPv4 one by translation or tunnel.
 */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6 | null): boolean {
  if (address === null || address.range() !== "unicast") return false;
  // What is neither local nor of any other use lies in 2000::/3.
  return address.kind() === "ipv4" || address.match(GLOBAL_UNICAST);
}

const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/** ::ffff:10.0.0.1 is 10.0.0.1. A zone such as %eth0 is only there for local addresses. */
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
    throw new TypeError(`"${entry}" is neither an address nor a network such as 10.0.0.0/8.`);
  }
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, [base, bits]: Network): boolean {
  if (address.kind() !== base.kind()) return false;
  return address.match(base, bits);
}
