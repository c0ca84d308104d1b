import { addressOf, CONNECTIONS_PER_ADDRESS } from "../receivers/source-addresses.ts";
import { tallyBytes } from "../receivers/tally.ts";
import { openFilesLimit, portRange } from "../report/environment.ts";
import { connectError, usageError } from "./exit.ts";

/** What this machine needs depends on where the server is. Without a URL the server runs here. */
export async function addressNeeds(
  url: string | undefined,
): Promise<Pick<Needs, "isLocalServer" | "canSpreadAddresses">> {
  const isLinux = process.platform === "linux";
  if (url === undefined) return { isLocalServer: true, canSpreadAddresses: isLinux };
  if (!URL.canParse(url)) throw usageError(`--url ${url} is not a valid URL. Example: http://127.0.0.1:3000`);
  const { protocol } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:")
    throw usageError("--url must begin with http:// or https://.");
  const address = await addressOf(url).catch(() => {
    throw connectError(`Unknown host in ${url}.`);
  });
  const isLoopback = address.startsWith("127.");
  return { isLocalServer: isLoopback || address === "::1", canSpreadAddresses: isLoopback && isLinux };
}

/** Files besides the connections: modules, pipes, the sender, ongoing registrations. */
const OTHER_FILES = 200;
const BYTES_PER_RECEIVER = { light: 16 * 1024, official: 64 * 1024 };
const BYTES_PER_SERVER_CONNECTION = 48 * 1024;

export interface Needs {
  users: number;
  messages: number;
  kind: "light" | "official";
  /** The server runs on this machine. */
  isLocalServer: boolean;
  /** Connections can come from several loopback addresses. */
  canSpreadAddresses: boolean;
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
  const { users, messages, kind, isLocalServer, canSpreadAddresses } = needs;
  const files = users + OTHER_FILES;
  const perAddress = canSpreadAddresses ? Math.min(users, CONNECTIONS_PER_ADDRESS) : users;
  const ports = limits.ports === null ? Infinity : limits.ports.last - limits.ports.first + 1;
  const perUser = BYTES_PER_RECEIVER[kind] + (isLocalServer ? BYTES_PER_SERVER_CONNECTION : 0);
  const memory = users * perUser + tallyBytes(users, messages);
  const mebibytes = (bytes: number) => Math.ceil(bytes / 1024 / 1024);
  const obstacles: (Obstacle & { isMet: boolean })[] = [
    {
      name: "descriptors",
      isMet: limits.openFiles === null || limits.openFiles >= files,
      why:
        `${users} connections need ${files} open files, but the limit is ${limits.openFiles}. ` +
        `Raise it in this shell with: ulimit -n ${files} (above the hard limit: as root, or LimitNOFILE= of the service).`,
    },
    {
      name: "ports",
      isMet: ports >= perAddress,
      why:
        `${perAddress} connections from one address need as many ports, but there are only ${ports}. ` +
        `Widen the range with: sudo sysctl -w net.ipv4.ip_local_port_range="1024 65535"`,
    },
    {
      name: "memory",
      isMet: limits.memoryBytes >= memory,
      why:
        `This run needs about ${mebibytes(memory)} MiB of memory, but only ${mebibytes(limits.memoryBytes)} MiB are available. ` +
        "Use fewer users, fewer messages or smaller bursts" +
        (isLocalServer ? ", or a server on another machine (--url)." : "."),
    },
  ];
  return obstacles.filter(({ isMet }) => !isMet);
}

/** @throws {ExitError} listing every obstacle */
export function checkLimits(needs: Needs): void {
  const obstacles = findObstacles(needs, currentLimits());
  if (obstacles.length > 0) throw usageError(obstacles.map(({ why }) => why).join("\n"));
}

/** The same for a load of requests. */
export async function checkConnections(connections: number, url?: string): Promise<void> {
  checkLimits({ users: connections, messages: 0, kind: "light", ...(await addressNeeds(url)) });
}
