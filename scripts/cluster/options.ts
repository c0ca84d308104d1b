import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { createServer } from "node:net";

const MOST = 16;
const DEFAULT_PORT = 3000;
const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_FOLDER = ".fanfare-cluster";

/** Distance from the first gateway's port to its ops port, and from there to the first worker's. */
const OPS_PORTS_ABOVE = 100;
const WORKER_PORTS_ABOVE = 50;

const USAGE = "usage: pnpm dev:cluster [--gateways 2] [--workers 2]";

export const HELP = `${USAGE}

Starts several gateways and workers on this machine, with NATS, Redis and a database of their own.
It needs nats-server and redis-server.

  --gateways  how many gateways, 1 to ${MOST}; default: 2
  --workers   how many workers, 1 to ${MOST}; default: 2

From the environment or .env:
  PORT        of the first gateway, the others follow; default: ${DEFAULT_PORT}
  OPS_PORT    for health and metrics of the first gateway; default: PORT + ${OPS_PORTS_ABOVE}
              The other gateways follow, the workers begin at OPS_PORT + ${WORKER_PORTS_ABOVE}
  HOST        the gateways' address; default: ${DEFAULT_HOST}
  DATA_DIR    for data and logs; default: ${DEFAULT_FOLDER}`;

export interface ClusterOptions {
  /** Whether only the help was requested. */
  help: boolean;
  gateways: number;
  workers: number;
  /** Absolute. */
  folder: string;
  host: string;
  /** Port of the first gateway; the others follow. */
  port: number;
  opsPort: (role: Role, index: number) => number;
}

export type Role = "gateway" | "worker";

/** @throws {Error} with the usage as its message */
export function readOptions(
  args: readonly string[],
  env: Record<string, string | undefined>,
): ClusterOptions {
  const values = parse(args.filter((argument) => argument !== "--"));
  const count = (name: Role): number => {
    const number = Number(values[`${name}s`]);
    if (Number.isInteger(number) && number >= 1 && number <= MOST) return number;
    throw new Error(`--${name}s must be an integer from 1 to ${MOST}.\n${USAGE}`);
  };
  const port = readPort("PORT", env["PORT"] || DEFAULT_PORT);
  const opsPort = readPort("OPS_PORT", env["OPS_PORT"] || port + OPS_PORTS_ABOVE);
  return {
    help: values.help,
    gateways: count("gateway"),
    workers: count("worker"),
    folder: resolve(env["DATA_DIR"] || DEFAULT_FOLDER),
    host: env["HOST"] || DEFAULT_HOST,
    port,
    opsPort: (role, index) => opsPort + (role === "gateway" ? 0 : WORKER_PORTS_ABOVE) + index,
  };
}

function readPort(name: string, value: string | number): number {
  const port = Number(value);
  if (Number.isInteger(port) && port >= 1 && port <= 65_000) return port;
  throw new Error(`${name} must be an integer from 1 to 65000.`);
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        gateways: { type: "string", default: "2" },
        workers: { type: "string", default: "2" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`, { cause: error });
  }
}

const HIGHEST_PORT = 65_535;
const OTHER_PORTS_ABOVE = 1000;

/** Ports of the cluster, and the address each listens on. */
function portsOf({ gateways, workers, host, port, opsPort }: ClusterOptions): [port: number, host: string][] {
  const first = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  return [
    ...first(gateways).map((index): [number, string] => [port + index, host]),
    ...first(gateways).map((index): [number, string] => [opsPort("gateway", index), "127.0.0.1"]),
    ...first(workers).map((index): [number, string] => [opsPort("worker", index), "127.0.0.1"]),
  ];
}

/** A line that says which port is in use and what to do; null if all are free. */
export async function findOccupiedPort(options: ClusterOptions): Promise<string | null> {
  for (const [port, host] of portsOf(options)) {
    const code = await refusal(port, host);
    if (code === null) continue;
    if (code !== "EADDRINUSE") return `Could not listen on port ${port} of HOST=${host}: ${code}.`;
    const other = options.port + OTHER_PORTS_ABOVE * (options.port < HIGHEST_PORT / 2 ? 1 : -1);
    return (
      `Port ${port} is in use by another program. Stop it, or choose other ports: PORT=${other} npx -y pnpm@12 dev:cluster ` +
      `(for a second cluster also DATA_DIR=${options.folder}-2).`
    );
  }
  return null;
}

function refusal(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
