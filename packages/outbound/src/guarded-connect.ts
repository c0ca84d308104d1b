import { lookup, type LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { buildConnector } from "undici";
import type { AddressRules } from "./addresses.ts";

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
