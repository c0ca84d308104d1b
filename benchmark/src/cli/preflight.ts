import { addressOf, CONNECTIONS_PER_ADDRESS } from "../receivers/source-addresses.ts";
import { tallyBytes } from "../receivers/tally.ts";
import { openFilesLimit, portRange } from "../report/environment.ts";
import { connectError, usageError } from "./exit.ts";

/** What this machine needs depends on where the server is. Without a URL the server runs here. */
export async function addressNeeds(
  url: string | undefined,
): Promise<Pick<Needs, "isLocalServer" | "canSpreadAddresses">> {
  if (url === undefined) return { isLocalServer: true, canSpreadAddresses: process.platform === "linux" };
  if (!URL.canParse(url)) throw usageError(`--url ${url} is not a valid URL. Example: http://127.0.0.1:3000`);
  const { protocol } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:")
    throw usageError("--url must begin with http:// or https://.");
  const address = await addressOf(url).catch(() => {
    throw connectError(`Unknown host in ${url}.`);
  });
  const isLocalServer = address.startsWith("127.") || address === "::1";
  return { isLocalServer, canSpreadAddresses: address.startsWith("127.") && process.platform === "linux" };
}

/** Files besides the connections: modules, pipes, the sender, ongoing registrations. */
const OTHER_FILES = 200;
const BYTES_PER_LIGHT_RECEIVER = 16 * 1024;
const BYTES_PER_OFFICIAL_RECEIVER = 64 * 1024;
const BYTES_PER_SERVER_CONNECTION = 48 * 1024;

export interface Needs {
  users: number;
  messages: number;
  kind: "light" | "official";
  /** The server runs on this machine. */
  isLocalServer: boolean;
  /** Connections can come from several loopback addresses. */
  canSpreadAddresses: boolean;
  /** Memory for other things than connections and broadcasts. */
  furtherBytes?: number;
}

export type Limits = ReturnType<typeof currentLimits>;

/** null: unlimited, or unknown. */
export function currentLimits() {
  return { openFiles: openFilesLimit(), ports: portRange(), memoryBytes: process.availableMemory() };
}

interface Obstacle {
  name: "descriptors" | "ports" | "memory";
  /** With the command that helps. */
  why: string;
}

/** What would fail halfway. Empty: ready. */
export function findObstacles(needs: Needs, limits: Limits): Obstacle[] {
  const obstacles: Obstacle[] = [];
  const files = needs.users + OTHER_FILES;
  if (limits.openFiles !== null && limits.openFiles < files) {
    obstacles.push({
      name: "descriptors",
      why:
        `${needs.users} connections need ${files} open files, but the limit is ${limits.openFiles}. ` +
        `Raise it in this shell with: ulimit -n ${files} (above the hard limit: as root, or LimitNOFILE= of the service).`,
    });
  }
  const perAddress = needs.canSpreadAddresses ? Math.min(needs.users, CONNECTIONS_PER_ADDRESS) : needs.users;
  const ports = limits.ports === null ? undefined : limits.ports.last - limits.ports.first + 1;
  if (ports !== undefined && ports < perAddress) {
    obstacles.push({
      name: "ports",
      why:
        `${perAddress} connections from one address need as many ports, but there are only ${ports}. ` +
        `Widen the range with: sudo sysctl -w net.ipv4.ip_local_port_range="1024 65535"`,
    });
  }
  const perUser =
    (needs.kind === "light" ? BYTES_PER_LIGHT_RECEIVER : BYTES_PER_OFFICIAL_RECEIVER) +
    (needs.isLocalServer ? BYTES_PER_SERVER_CONNECTION : 0);
  const memory = needs.users * perUser + tallyBytes(needs.users, needs.messages) + (needs.furtherBytes ?? 0);
  if (limits.memoryBytes < memory) {
    obstacles.push({
      name: "memory",
      why:
        `This run needs about ${mebibytes(memory)} MiB of memory, but only ${mebibytes(limits.memoryBytes)} MiB are available. ` +
        "Use fewer users, fewer messages or smaller bursts" +
        (needs.isLocalServer ? ", or a server on another machine (--url)." : "."),
    });
  }
  return obstacles;
}

/** @throws {ExitError} listing every obstacle */
export function checkLimits(needs: Needs): void {
  const obstacles = findObstacles(needs, currentLimits());
  if (obstacles.length > 0) throw usageError(obstacles.map(({ why }) => why).join("\n"));
}

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024);
}
