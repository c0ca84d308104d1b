import { isIPv4 } from "node:net";

export const CONNECTIONS_PER_ADDRESS = 10_000;
const FIRST = 2;
const LAST = 250;

/**
 * Spreads connections to a server on this machine over 127.0.0.2, 127.0.0.3, …, because one address has no
 * more than some 28,000 ports to connect from. Each run of many takes the next addresses, so that ports that
 * are still closing are left alone.
 */
export class SourceAddresses {
  readonly #canSpread: boolean;
  #next = FIRST;

  /** @param serverAddress the IP address of the server. Only Linux answers on all of 127.0.0.0/8. */
  constructor(serverAddress: string, platform: string = process.platform) {
    this.#canSpread = platform === "linux" && isIPv4(serverAddress) && serverAddress.startsWith("127.");
  }

  /** The address for each of `count` connections; undefined: the system chooses. */
  take(count: number): (string | undefined)[] {
    if (!this.#canSpread) return Array.from({ length: count }, () => undefined);
    const first = this.#next;
    this.#next += Math.ceil(count / CONNECTIONS_PER_ADDRESS);
    const span = LAST - FIRST + 1;
    const host = (i: number) => FIRST + ((first - FIRST + Math.floor(i / CONNECTIONS_PER_ADDRESS)) % span);
    return Array.from({ length: count }, (_, i) => `127.0.0.${host(i)}`);
  }
}
