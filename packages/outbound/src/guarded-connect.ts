import { lookup, type LookupAddress } from "node:dns";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { buildConnector } from "undici";

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface GuardedConnectOptions {
  rules: AddressRules;
  /** Allowed ports of public addresses; explicitly allowed addresses can be connected to on any port. */
  ports: readonly number[];
  connectTimeoutMs: number;
  /** For tests. Default: the system's resolver. */
  resolve?: Resolve;
}

const resolveBySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

/**
 * Creates a connector that connects to exactly the addresses that were checked: names are resolved once, which prevents DNS
 * rebinding. A name with any forbidden address is rejected.
 */
export function createGuardedConnect({
  rules,
  ports,
  connectTimeoutMs,
  resolve = resolveBySystem,
}: GuardedConnectOptions): buildConnector.connector {
  return (options, callback) => {
    const hostname = options.hostname.replace(/^\[(.*)\]$/, "$1");
    const port = Number(options.port || (options.protocol === "https:" ? 443 : 80));
    const addressesOf = async (): Promise<readonly LookupAddress[]> => {
      const family = isIP(hostname);
      if (family !== 0) return [{ address: hostname, family }];
      try {
        return await resolve(hostname);
      } catch (error) {
        throw new OutboundError("UNREACHABLE", `${hostname} has no address.`, error);
      }
    };
    const connect = async (): Promise<void> => {
      try {
        open(await checked());
      } catch (error) {
        callback(error as Error, null);
      }
    };
    const checked = async (): Promise<readonly LookupAddress[]> => {
      const addresses = await addressesOf();
      assertAllowed(hostname, port, addresses, rules, ports);
      return addresses;
    };
    const open = (addresses: readonly LookupAddress[]): void => {
      const connector = buildConnector({
        timeout: connectTimeoutMs,
        lookup: (_name, { all }, done) => {
          const [first] = addresses;
          if (all === true) done(null, [...addresses]);
          else done(null, first!.address, first!.family);
        },
      });
      connector(options, (error, socket) => {
        if (error !== null) return callback(error, null);
        // Defense in depth: checks the actual peer address too.
        if (!rules.allows(socket.remoteAddress ?? "")) {
          socket.destroy();
          return callback(forbidden(hostname), null);
        }
        callback(null, socket);
      });
    };
    void connect();
  };
}

function assertAllowed(
  hostname: string,
  port: number,
  addresses: readonly LookupAddress[],
  rules: AddressRules,
  ports: readonly number[],
): void {
  if (addresses.length === 0) throw new OutboundError("UNREACHABLE", `${hostname} has no address.`);
  if (!addresses.every(({ address }) => rules.allows(address))) throw forbidden(hostname);
  if (ports.includes(port) || addresses.every(({ address }) => rules.allowsExplicitly(address))) return;
  throw new OutboundError("BAD_URL", `Port ${port} is not allowed. Allowed: ${ports.join(", ")}.`);
}

function forbidden(hostname: string): OutboundError {
  return new OutboundError("FORBIDDEN_ADDRESS", `${hostname} is not a public address.`);
}

/**
 * - `BAD_URL`: not http or https, with a username or password, or with a port that is not allowed.
 * - `FORBIDDEN_ADDRESS`: the host resolves to an address that is not public.
 * - `UNREACHABLE`: the host can't be resolved or connected to, or the connection was lost.
 * - `TIMEOUT`: the request was not completed in time.
 * - `TOO_MANY_REDIRECTS`: more redirects than allowed, or a redirect of a request that isn't a GET.
 */
export type OutboundErrorCode =
  | "BAD_URL"
  | "FORBIDDEN_ADDRESS"
  | "UNREACHABLE"
  | "TIMEOUT"
  | "TOO_MANY_REDIRECTS";

export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly code: OutboundErrorCode;

  constructor(code: OutboundErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

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
