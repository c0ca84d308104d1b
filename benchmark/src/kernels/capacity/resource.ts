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
  const { testerBusy, testerWaiting, sentLateMs, missed, serverCores, serverThreadBusy, memoryFree } =
    evidence;
  const { otherProgramsCores: others, cores } = evidence;
  const [descriptors, ports, memory, limit] = [DESCRIPTOR_CODES, PORT_CODES, MEMORY_CODES, LIMIT_CODES].map(
    (codes) => evidence.errorCodes.find((code) => codes.includes(code)),
  );
  const because = (name: Resource["name"], why: string): Resource => ({ name, why });
  const all = [
    descriptors && because("descriptors", `${descriptors}: raise ulimit -n`),
    ports && because("ports", `${ports}: widen net.ipv4.ip_local_port_range`),
    memory && because("memory", memory),
    limit && because("limit", `the server rejects with ${limit}: raise that limit`),
    memoryFree < MEMORY_FREE && because("memory", `${percent(memoryFree)} of this machine's memory was left`),
    testerBusy !== null &&
      testerBusy > BUSY_LIMIT &&
      because("generator", `a thread of the tester was busy ${percent(testerBusy)} of the time`),
    missed > 0 && because("generator", `the tester could not send ${missed} messages in time`),
    sentLateMs > evidence.limitMs * SENT_LATE_SHARE &&
      because("generator", `the tester sent up to ${Math.round(sentLateMs)} ms late`),
    serverThreadBusy !== null &&
      serverThreadBusy > SERVER_BUSY &&
      because("cpu", `the server's busiest thread was busy ${percent(serverThreadBusy)} of the time`),
    testerWaiting !== null &&
      testerWaiting > WAITING_LIMIT &&
      because(
        "cpu",
        `server and tester share too few cores: a thread waited ${percent(testerWaiting)} of the time`,
      ),
    serverThreadBusy === null &&
      serverCores !== null &&
      serverCores > SERVER_BUSY &&
      because("cpu", `the server used ${serverCores.toFixed(2)} cores while messages were in flight`),
    others !== null &&
      others > cores * OTHERS_SHARE &&
      because("cpu", `other programs used ${others.toFixed(1)} of the ${cores} cores`),
  ];
  const unknown = "no exhausted resource is visible to the tester (possibly the disk, or another machine)";
  return all.find((one) => typeof one === "object") ?? because("unknown", unknown);
}
