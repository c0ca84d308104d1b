import { lookup } from "node:dns/promises";
import { isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";

/**
 * One address has some 28,000 ports to connect from, but the kernel's search for a free one gets slow long
 * before they run out: connecting took four times as long with 10,000 per address as with 1,000.
 */
export const CONNECTIONS_PER_ADDRESS = 1000;
const ADDRESSES = 4 * 250;

/**
 * Spreads connections to a server on this machine over 127.0.0.2, 127.0.0.3, … Each run uses the next
 * addresses, to avoid ports that are still closing.
 */
export class SourceAddresses {
  readonly #canSpread: boolean;
  #next = 0;

  /** @param serverAddress the IP address of the server. Only Linux answers on all of 127.0.0.0/8. */
  constructor(serverAddress: string, platform: string = process.platform) {
    this.#canSpread = platform === "linux" && isIPv4(serverAddress) && serverAddress.startsWith("127.");
  }

  /** The address for each of `count` connections; undefined: the system chooses. */
  take(count: number): (string | undefined)[] {
    if (!this.#canSpread) return Array.from({ length: count }, () => undefined);
    const first = this.#next;
    this.#next = (first + Math.ceil(count / CONNECTIONS_PER_ADDRESS)) % ADDRESSES;
    return Array.from({ length: count }, (_, i) =>
      loopbackAddress(first + Math.floor(i / CONNECTIONS_PER_ADDRESS)),
    );
  }
}

function loopbackAddress(index: number): string {
  const number = index % ADDRESSES;
  return `127.0.${Math.floor(number / 250)}.${2 + (number % 250)}`;
}

/** The IP address of a server, IPv4 if it has one. */
export async function addressOf(url: string): Promise<string> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return (await lookup(host, { order: "ipv4first" })).address;
}

/** Whether a server runs here, so that its processes and other programs share the processors with the tester. */
export async function isOnThisMachine(url: string): Promise<boolean> {
  const address = await addressOf(url);
  const own = Object.values(networkInterfaces()).flatMap((all) => all?.map((one) => one.address) ?? []);
  return address.startsWith("127.") || own.includes(address);
}
