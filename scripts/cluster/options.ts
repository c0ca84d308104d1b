import { resolve } from "node:path";
import { parseArgs } from "node:util";

const MOST = 16;
const DEFAULT_PORT = 3000;
const USAGE = "usage: pnpm dev:cluster [--gateways 2] [--workers 2]";

/** Ports for health and metrics begin this far above the first gateway's, those of the workers as far above them. */
const OPS_PORTS_ABOVE = 100;
const WORKER_PORTS_ABOVE = 150;

export interface ClusterOptions {
  gateways: number;
  workers: number;
  /** Absolute. */
  folder: string;
  host: string;
  /** Of the first gateway; the others follow. */
  port: number;
  opsPort: (role: Role, index: number) => number;
}

export type Role = "gateway" | "worker";

/** @throws {Error} whose message says how it is used */
export function readOptions(
  args: readonly string[],
  env: Record<string, string | undefined>,
): ClusterOptions {
  const { values } = parseArgs({
    args: args.filter((argument) => argument !== "--"),
    options: { gateways: { type: "string", default: "2" }, workers: { type: "string", default: "2" } },
  });
  const count = (name: Role): number => {
    const number = Number(values[`${name}s`]);
    if (Number.isInteger(number) && number >= 1 && number <= MOST) return number;
    throw new Error(`--${name}s must be a whole number from 1 to ${MOST}.\n${USAGE}`);
  };
  const port = Number(env["PORT"] || DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_000)
    throw new Error("PORT must be a whole number from 1 to 65000.");
  return {
    gateways: count("gateway"),
    workers: count("worker"),
    folder: resolve(env["DATA_DIR"] || ".fanfare-cluster"),
    host: env["HOST"] || "127.0.0.1",
    port,
    opsPort: (role, index) => port + (role === "gateway" ? OPS_PORTS_ABOVE : WORKER_PORTS_ABOVE) + index,
  };
}
