import { readFileSync } from "node:fs";
import { DEFAULT_MAX_CONNECTIONS, type Config } from "@fanfare/kernel";
import { HTTP_CONNECTIONS, HTTP_CONNECTIONS_PER_ADDRESS } from "./bounds.ts";
import { ConnectionLimit, type ConnectionLimits } from "./connection-limit.ts";

/**
 * Descriptors for all but the connections of clients: threads, database, NATS, Redis, and files that come and go. At least so
 * many,
 */
const MIN_OTHER = 100;
/** and, until there are enough, this part of all. */
const MAX_OTHER = 500;
const OTHER_PART = 1 / 8;
/** The part of its connections that a process keeps for HTTP where there are too few. */
const HTTP_PART = 1 / 8;
/** The part of its descriptors that a process takes for connections however few it has. */
const MIN_PART = 1 / 4;

/** How many connections all threads of this process take together. */
export interface ConnectionRoom {
  sockets: ConnectionLimits;
  /** TCP connections: those of the sockets, and of HTTP. */
  tcp: ConnectionLimits;
}

export function connectionRoom(config: Config, openFiles = maxOpenFiles()): ConnectionRoom {
  const { maxConnections, maxConnectionsPerAddress: maxPerAddress, trustProxy } = config;
  const others = Math.min(MAX_OTHER, MIN_OTHER + openFiles * OTHER_PART);
  const usable = Math.floor(Math.max(openFiles - others, openFiles * MIN_PART));
  const http = Math.min(HTTP_CONNECTIONS, Math.max(Math.floor(usable * HTTP_PART), usable - maxConnections));
  const max = Math.min(maxConnections, usable - http);
  return {
    sockets: { max, maxPerAddress },
    tcp: {
      max: max + http,
      // Behind a proxy all connections come from its address: it must limit its clients' itself.
      maxPerAddress: trustProxy === 0 ? maxPerAddress + HTTP_CONNECTIONS_PER_ADDRESS : Infinity,
    },
  };
}

export interface RoomNotice {
  level: "info" | "warn";
  text: string;
}

/** What to log where MAX_CONNECTIONS is more than the system allows; a warning only if the operator has chosen the number. */
export function noticeOfRoom(config: Config, openFiles = maxOpenFiles()): RoomNotice | null {
  const { max } = connectionRoom(config, openFiles).sockets;
  const { maxConnections } = config;
  if (max === maxConnections) return null;
  const needed = maxConnections + HTTP_CONNECTIONS + MAX_OTHER;
  const text =
    `only ${max} connections of MAX_CONNECTIONS=${maxConnections} are accepted, because this process may open ${openFiles} files: ` +
    `raise the limit (ulimit -n ${needed}, LimitNOFILE=${needed} or ulimits.nofile), or set MAX_CONNECTIONS=${max}`;
  return { level: maxConnections === DEFAULT_MAX_CONNECTIONS ? "info" : "warn", text };
}

/** The memory in which the threads of this process count their connections. */
export interface ConnectionMemory {
  sockets: SharedArrayBuffer;
  tcp: SharedArrayBuffer;
}

export function connectionMemory({ sockets, tcp }: ConnectionRoom): ConnectionMemory {
  return { sockets: ConnectionLimit.memory(sockets), tcp: ConnectionLimit.memory(tcp) };
}

/** `ulimit -n` of this process, which Node has raised to the hard limit; Infinity where the system does not say. */
function maxOpenFiles(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}
