import { readFileSync } from "node:fs";
import { DEFAULT_MAX_CONNECTIONS, type Config } from "@fanfare/kernel";
import { HTTP_CONNECTIONS, HTTP_CONNECTIONS_PER_ADDRESS } from "./constants.ts";
import { ConnectionLimit, type ConnectionLimits } from "./connection-limit.ts";

/** Minimum of file descriptors reserved for other uses than client connections: threads, database, NATS, Redis and files. */
const MIN_OTHER = 100;
/** Maximum of that; up to it, a share of all descriptors is added. */
const MAX_OTHER = 500;
const OTHER_SHARE = 1 / 8;
/** The share of connections for HTTP when there are too few. */
const HTTP_SHARE = 1 / 8;
/** The minimum share of descriptors for connections. */
const MIN_SHARE = 1 / 4;

/** How many connections all threads of this process accept together. */
export interface ConnectionCapacity {
  sockets: ConnectionLimits;
  /** TCP connections: sockets and HTTP. */
  tcp: ConnectionLimits;
}

export function connectionCapacity(config: Config, openFiles = maxOpenFiles()): ConnectionCapacity {
  const { maxConnections, maxConnectionsPerAddress: maxPerAddress, trustProxy } = config;
  const others = Math.min(MAX_OTHER, MIN_OTHER + openFiles * OTHER_SHARE);
  const usable = Math.floor(Math.max(openFiles - others, openFiles * MIN_SHARE));
  const http = Math.min(HTTP_CONNECTIONS, Math.max(Math.floor(usable * HTTP_SHARE), usable - maxConnections));
  const max = Math.min(maxConnections, usable - http);
  return {
    sockets: { max, maxPerAddress },
    tcp: {
      max: max + http,
      // Behind a proxy, all TCP connections have its address: only the proxy can limit those of a client.
      maxPerAddress: trustProxy === 0 ? maxPerAddress + HTTP_CONNECTIONS_PER_ADDRESS : Infinity,
    },
  };
}

export interface CapacityNotice {
  level: "info" | "warn";
  text: string;
}

/** The log message when MAX_CONNECTIONS exceeds what the system allows; a warning only if the operator has set it. */
export function capacityNotice(config: Config, openFiles = maxOpenFiles()): CapacityNotice | null {
  const { max } = connectionCapacity(config, openFiles).sockets;
  const { maxConnections } = config;
  if (max === maxConnections) return null;
  const needed = maxConnections + HTTP_CONNECTIONS + MAX_OTHER;
  const text =
    `only ${max} connections of MAX_CONNECTIONS=${maxConnections} are accepted, because this process may open ${openFiles} files: ` +
    `raise the limit (ulimit -n ${needed}, LimitNOFILE=${needed} or ulimits.nofile), or set MAX_CONNECTIONS=${max}`;
  return { level: maxConnections === DEFAULT_MAX_CONNECTIONS ? "info" : "warn", text };
}

/** Memory shared by the threads of this process to count their connections. */
export interface ConnectionMemory {
  sockets: SharedArrayBuffer;
  tcp: SharedArrayBuffer;
}

export function connectionMemory({ sockets, tcp }: ConnectionCapacity): ConnectionMemory {
  return { sockets: ConnectionLimit.memory(sockets), tcp: ConnectionLimit.memory(tcp) };
}

/** `ulimit -n` of this process, which Node has raised to the hard limit; Infinity when unknown. */
function maxOpenFiles(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}
