import { availableParallelism, totalmem } from "node:os";
import type { Needs } from "../../cli/preflight.ts";
import { connectError, ExitCode, ExitError, PROGRAM } from "../../cli/exit.ts";
import type { RunTools } from "../../cli/scenario.ts";
import { BUSY_LIMIT, OTHERS_SHARE, WAITING_LIMIT } from "../../kernels/broadcast/tester-watch.ts";
import { applying, percent, short, whole } from "../../report/format.ts";
import type { Target } from "../../targets/target.ts";
import type { ErrorRow } from "../../report/result.ts";
import type { Attempt } from "./search.ts";

/** What an attempt needs of the options. */
export interface AttemptPlan {
  limitMs: number;
  members: number;
  senders: number;
  durationMs: number;
  payloadBytes: number;
  threads: number;
  connecting: number;
  napMs: number;
}

export interface CapacityContext extends RunTools {
  target: Target;
  plan: AttemptPlan;
  where: Pick<Needs, "isLocalServer" | "canSpreadAddresses">;
}

/** What an attempt shows; by default nothing. */
const NOTHING = {
  /** The worst message's time to the last member; null: one did not reach everyone. */
  worstMs: null as number | null,
  medianMs: null as number | null,
  /** The first message after connecting, and after an idle time; null: not measured. */
  firstMs: null as number | null,
  coldMs: null as number | null,
  acknowledged: 0,
  /** Deliveries of acknowledged messages that never arrived. */
  lost: 0,
  duplicates: 0,
  outOfOrder: 0,
  corrupted: 0,
  /** Acknowledged messages that are not stored, and those that are more than once. */
  unstored: 0,
  storedTwice: 0,
  /** Messages that the server rejected or did not answer. */
  refused: 0,
  /** Messages that the tester could not send in time. */
  missed: 0,
  dropped: 0,
  /** Cores the server kept busy while messages were in flight. */
  serverCores: null as number | null,
};
type Seen = typeof NOTHING;

export interface CapacityAttempt extends Attempt, Seen {
  /** Why the attempt failed; empty if it passed. */
  reasons: string[];
  /** What was exhausted when the attempt failed; null if it passed. */
  resource: Resource | null;
}

/** @param resource what was exhausted if it fails */
export function judgeAttempt(
  value: number,
  observed: Partial<Seen>,
  limitMs: number,
  resource: () => Resource,
): CapacityAttempt {
  const seen = { ...NOTHING, ...observed };
  const reasons = reasonsOf(seen, limitMs);
  const held = reasons.length === 0;
  return { value, held, isFinal: false, ...seen, reasons, resource: held ? null : resource() };
}

/** @param isFinal a retry would fail too */
export function failedAttempt(
  value: number,
  resource: Resource,
  reason: string,
  isFinal: boolean,
): CapacityAttempt {
  return { value, held: false, isFinal, ...NOTHING, reasons: [reason], resource };
}

/**
 * An attempt whose members could not be registered or connected has failed: that must not end the search, unless their
 * tokens have expired, which is no limit of the server.
 * @param attempt gets what was exhausted so far, by the errors that it had
 * @throws {Error} if the signal aborts, or for other reasons
 */
export async function tryAttempt(
  {
    plan,
    errors,
    signal,
  }: Pick<CapacityContext, "errors" | "signal"> & { plan: Pick<AttemptPlan, "limitMs"> },
  value: number,
  attempt: (resourceOf: (evidence: Partial<Evidence>) => Resource) => Promise<CapacityAttempt>,
): Promise<CapacityAttempt> {
  const before = new Map(errors.rows().map(({ phase, code, count }) => [`${phase} ${code}`, count]));
  const newCodes = () => {
    const isNew = ({ phase, code, count }: ErrorRow) => count > (before.get(`${phase} ${code}`) ?? 0);
    return errors
      .rows()
      .filter(isNew)
      .map(({ code }) => code);
  };
  const resourceOf = (evidence: Partial<Evidence>) =>
    judgeResource({ ...UNKNOWN, limitMs: plan.limitMs, errorCodes: newCodes(), ...evidence });
  try {
    const made = await attempt(resourceOf);
    signal.throwIfAborted();
    return made;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ExitError) || error.code !== ExitCode.couldNotConnect) throw error;
    if ([...newCodes(), error.message].some((text) => text.includes(TOKEN_EXPIRED)))
      throw connectError(
        `${TOKEN_EXPIRED}: the access tokens expired before the search ended. Write new ones with ${PROGRAM} register --out, ` +
          "and start nearer to the limit with a lower --most-users.",
      );
    return failedAttempt(value, resourceOf({}), error.message, false);
  }
}

/** Why an attempt fails; empty if it passes. */
function reasonsOf(seen: Seen, limitMs: number): string[] {
  const { worstMs, lost, refused, missed, dropped } = seen;
  const reasons = applying(
    lost > 0 && `${whole(lost)} deliveries lost`,
    seen.duplicates > 0 && `${whole(seen.duplicates)} duplicates`,
    seen.outOfOrder > 0 && `${whole(seen.outOfOrder)} deliveries out of order`,
    seen.corrupted > 0 && `${whole(seen.corrupted)} deliveries corrupted`,
    seen.unstored > 0 && `${whole(seen.unstored)} acknowledged messages not persisted`,
    seen.storedTwice > 0 && `${whole(seen.storedTwice)} messages stored twice`,
    refused > 0 && `${whole(refused)} messages rejected or not answered`,
    missed > 0 && `${whole(missed)} messages not sent in time`,
    dropped > 0 && `${whole(dropped)} connections dropped`,
    worstMs !== null && worstMs > limitMs && `worst message ${short(worstMs)} ms`,
  );
  if (worstMs === null && reasons.length === 0) reasons.push("not every message reached everyone in time");
  return reasons;
}

export interface Resource {
  /** `limit`: a configured limit of the server. `unknown`: no resource visible to the tester was exhausted. */
  name: "cpu" | "memory" | "descriptors" | "ports" | "generator" | "limit" | "unknown";
  why: string;
}

/** Observations of an attempt that failed. */
export interface Evidence {
  /** Errors of connections and requests. */
  errorCodes: readonly string[];
  /** Share of a core, 0 to 1, that the tester's busiest thread used, and of time that a thread waited for a core. */
  testerBusy: number | null;
  testerWaiting: number | null;
  /** How late the tester sent. */
  sentLateMs: number;
  /** Cores that the server kept busy while messages were in flight, and the share of its busiest thread. */
  serverCores: number | null;
  serverThreadBusy: number | null;
  /** Used by unrelated programs; null if the server is remote. */
  otherProgramsCores: number | null;
  limitMs: number;
  /** Of the machine, and the share of its memory still available. */
  cores?: number;
  memoryFree?: number;
}

/** An attempt that could not be made. */
const UNKNOWN = {
  testerBusy: null,
  testerWaiting: null,
  sentLateMs: 0,
  serverCores: null,
  serverThreadBusy: null,
  otherProgramsCores: null,
};

const TOKEN_EXPIRED = "TOKEN_EXPIRED";
const SENT_LATE_SHARE = 0.25;
const SERVER_BUSY = 0.75;
const MEMORY_FREE = 0.05;

const DESCRIPTOR_CODES = ["EMFILE", "ENFILE"];
const PORT_CODES = ["EADDRNOTAVAIL", "EADDRINUSE"];
const MEMORY_CODES = ["ENOMEM", "ENOBUFS"];
const LIMIT_CODES = ["TOO_MANY_CONNECTIONS", "RATE_LIMITED", "HTTP_429", "HTTP_503"];

/** The first that explains it: limits of the tester come before those of the server. */
export function judgeResource(evidence: Evidence): Resource {
  const { testerBusy, testerWaiting, sentLateMs, serverCores, serverThreadBusy } = evidence;
  const { cores = availableParallelism(), memoryFree = process.availableMemory() / totalmem() } = evidence;
  const others = evidence.otherProgramsCores ?? 0;
  const [descriptors, ports, memory, limit] = [DESCRIPTOR_CODES, PORT_CODES, MEMORY_CODES, LIMIT_CODES].map(
    (codes) => evidence.errorCodes.find((code) => codes.includes(code)),
  );
  const causes: [isSo: boolean, name: Resource["name"], why: string][] = [
    [descriptors !== undefined, "descriptors", `${descriptors}: raise ulimit -n`],
    [ports !== undefined, "ports", `${ports}: widen net.ipv4.ip_local_port_range`],
    [memory !== undefined, "memory", `${memory}`],
    [limit !== undefined, "limit", `the server rejects with ${limit}: raise that limit`],
    [memoryFree < MEMORY_FREE, "memory", `${percent(memoryFree)} of this machine's memory was left`],
    [
      (testerBusy ?? 0) > BUSY_LIMIT,
      "generator",
      `a thread of the tester was busy ${percent(testerBusy ?? 0)} of the time`,
    ],
    [
      sentLateMs > evidence.limitMs * SENT_LATE_SHARE,
      "generator",
      `the tester sent up to ${Math.round(sentLateMs)} ms late`,
    ],
    [
      (serverThreadBusy ?? 0) > SERVER_BUSY,
      "cpu",
      `the server's busiest thread was busy ${percent(serverThreadBusy ?? 0)} of the time`,
    ],
    [
      (testerWaiting ?? 0) > WAITING_LIMIT,
      "cpu",
      `server and tester share too few cores: a thread waited ${percent(testerWaiting ?? 0)} of the time`,
    ],
    [
      serverThreadBusy === null && (serverCores ?? 0) > SERVER_BUSY,
      "cpu",
      `the server used ${serverCores?.toFixed(2)} cores while messages were in flight`,
    ],
    [others > cores * OTHERS_SHARE, "cpu", `other programs used ${others.toFixed(1)} of the ${cores} cores`],
    [
      true,
      "unknown",
      "no exhausted resource is visible to the tester (possibly the disk, or another machine)",
    ],
  ];
  const [, name, why] = causes.find(([isSo]) => isSo)!;
  return { name, why };
}
