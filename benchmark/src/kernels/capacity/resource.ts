import { findObstacles, type Limits, type Needs } from "../../cli/preflight.ts";
import { percent } from "../../report/format.ts";
import { BUSY_LIMIT, OTHERS_SHARE, WAITING_LIMIT } from "../broadcast/generator-load.ts";

export interface Resource {
  /** `limit`: a configured limit of the server. `unknown`: no resource visible to the tester was exhausted. */
  name: "cpu" | "memory" | "descriptors" | "ports" | "generator" | "limit" | "unknown";
  why: string;
}

/** Observations of an attempt that failed. */
export interface Evidence {
  /** Errors of connections and requests. */
  errorCodes: readonly string[];
  /**
   * Share of a core, 0 to 1, that the tester's busiest thread used, and the share of time a thread waited for a
   * core.
   */
  testerBusy: number | null;
  testerWaiting: number | null;
  /** How late the tester sent. */
  sentLateMs: number;
  /** Messages that the tester did not send at all. */
  missed: number;
  /** Cores that the server kept busy while messages were in flight, and the share of its busiest thread. */
  serverCores: number | null;
  serverThreadBusy: number | null;
  /** Used by unrelated programs; null if the server is remote. */
  otherProgramsCores: number | null;
  /** Of the machine. */
  cores: number;
  /** Share of the machine's memory still available. */
  memoryFree: number;
  limitMs: number;
}

const SENT_LATE_SHARE = 0.25;
const SERVER_BUSY = 0.75;
const MEMORY_FREE = 0.05;

const DESCRIPTOR_CODES = ["EMFILE", "ENFILE"];
const PORT_CODES = ["EADDRNOTAVAIL", "EADDRINUSE"];
const MEMORY_CODES = ["ENOMEM", "ENOBUFS"];
const LIMIT_CODES = ["TOO_MANY_CONNECTIONS", "RATE_LIMITED", "HTTP_429", "HTTP_503", "GROUP_FULL"];

/** The first that explains it: limits of the tester come before those of the server. */
export function judgeResource(evidence: Evidence): Resource {
  const code = (codes: readonly string[]) => evidence.errorCodes.find((found) => codes.includes(found));
  const { testerBusy, testerWaiting, sentLateMs, serverCores, serverThreadBusy, memoryFree } = evidence;
  const descriptors = code(DESCRIPTOR_CODES);
  if (descriptors) return { name: "descriptors", why: `${descriptors}: raise ulimit -n` };
  const ports = code(PORT_CODES);
  if (ports) return { name: "ports", why: `${ports}: widen net.ipv4.ip_local_port_range` };
  const memory = code(MEMORY_CODES);
  if (memory) return { name: "memory", why: memory };
  const limit = code(LIMIT_CODES);
  if (limit) return { name: "limit", why: `the server rejects with ${limit}: raise that limit` };
  if (memoryFree < MEMORY_FREE)
    return { name: "memory", why: `${percent(memoryFree)} of this machine's memory was left` };
  if (testerBusy !== null && testerBusy > BUSY_LIMIT)
    return {
      name: "generator",
      why: `a thread of the tester was busy ${percent(testerBusy)} of the time`,
    };
  if (evidence.missed > 0)
    return { name: "generator", why: `the tester could not send ${evidence.missed} messages in time` };
  if (sentLateMs > evidence.limitMs * SENT_LATE_SHARE)
    return { name: "generator", why: `the tester sent up to ${Math.round(sentLateMs)} ms late` };
  if (serverThreadBusy !== null && serverThreadBusy > SERVER_BUSY)
    return {
      name: "cpu",
      why: `the server's busiest thread was busy ${percent(serverThreadBusy)} of the time`,
    };
  if (testerWaiting !== null && testerWaiting > WAITING_LIMIT)
    return {
      name: "cpu",
      why: `server and tester share too few cores: a thread waited ${percent(testerWaiting)} of the time`,
    };
  if (serverThreadBusy === null && serverCores !== null && serverCores > SERVER_BUSY)
    return {
      name: "cpu",
      why: `the server used ${serverCores.toFixed(2)} cores while messages were in flight`,
    };
  const { otherProgramsCores: others, cores } = evidence;
  if (others !== null && others > cores * OTHERS_SHARE)
    return { name: "cpu", why: `other programs used ${others.toFixed(1)} of the ${cores} cores` };
  return {
    name: "unknown",
    why: "no exhausted resource is visible to the tester (possibly the disk, or another machine)",
  };
}

/** What would stop this many users before they are connected; undefined: nothing. */
export function findMissingResource(needs: Needs, limits: Limits): Resource | undefined {
  const kinds = [
    { name: "descriptors", limits: { ...limits, ports: null, memoryBytes: Infinity } },
    { name: "ports", limits: { ...limits, openFiles: null, memoryBytes: Infinity } },
    { name: "memory", limits: { ...limits, openFiles: null, ports: null } },
  ] as const;
  for (const kind of kinds) {
    const [why] = findObstacles(needs, kind.limits);
    if (why !== undefined) return { name: kind.name, why };
  }
  return undefined;
}
