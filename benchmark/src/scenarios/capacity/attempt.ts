import { availableParallelism, totalmem } from "node:os";
import type { Needs } from "../../cli/preflight.ts";
import { connectError, ExitCode, ExitError, PROGRAM } from "../../cli/exit.ts";
import type { RunTools } from "../../cli/scenario.ts";
import { mapValues } from "../../kernels/broadcast/percentiles.ts";
import { BUSY_LIMIT, OTHERS_SHARE, WAITING_LIMIT } from "../../kernels/broadcast/tester-watch.ts";
import { applying, percent, short, whole } from "../../report/format.ts";
import type { Target } from "../../targets/target.ts";
import type { ErrorRow } from "../../report/result.ts";
import type { CapacityPlan } from "./capacity.ts";
import type { Attempt } from "./search.ts";

export interface CapacityContext extends RunTools {
  target: Target;
  plan: CapacityPlan;
  where: Pick<Needs, "isLocalServer" | "canSpreadAddresses">;
}

/** Any of these fails an attempt. */
const FAULTS = {
  lost: "deliveries lost",
  duplicates: "duplicates",
  outOfOrder: "deliveries out of order",
  corrupted: "deliveries corrupted",
  unstored: "acknowledged messages not persisted",
  storedTwice: "messages stored twice",
  refused: "messages rejected or not answered",
  missed: "messages not sent in time",
  dropped: "connections dropped",
} as const;
type Fault = keyof typeof FAULTS;

/** What an attempt shows; by default nothing. */
const NOTHING = {
  /** The worst message's time to the last member; null: one did not reach everyone. */
  worstMs: null as number | null,
  medianMs: null as number | null,
  /** The first message after connecting, and after an idle time; null: not measured. */
  firstMs: null as number | null,
  coldMs: null as number | null,
  acknowledged: 0,
  ...(mapValues(FAULTS, () => 0) as Record<Fault, number>),
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
  const faults = (Object.keys(FAULTS) as Fault[]).filter((fault) => seen[fault] > 0);
  const reasons = faults.map((fault) => `${whole(seen[fault])} ${FAULTS[fault]}`);
  if ((seen.worstMs ?? 0) > limitMs) reasons.push(`worst message ${short(seen.worstMs!)} ms`);
  if (seen.worstMs === null && reasons.length === 0)
    reasons.push("not every message reached everyone in time");
  if (reasons.length > 0) return { ...failedAttempt(value, resource(), reasons), ...seen };
  return { value, held: true, isFinal: false, ...seen, reasons, resource: null };
}

/** @param isFinal a retry would fail too */
export function failedAttempt(
  value: number,
  resource: Resource,
  reasons: string[],
  isFinal = false,
): CapacityAttempt {
  return { value, held: false, isFinal, ...NOTHING, reasons, resource };
}

const TOKEN_EXPIRED = "TOKEN_EXPIRED";

/**
 * An attempt whose members could not be registered or connected has failed: that must not end the search, unless their
 * tokens have expired, which is no limit of the server.
 * @param attempt returns what it shows, and what helps to explain a failure
 * @throws {Error} if the signal aborts, or for other reasons
 */
export async function tryAttempt(
  {
    plan: { limitMs },
    errors,
    signal,
  }: Pick<RunTools, "errors" | "signal"> & { plan: Pick<CapacityPlan, "limitMs"> },
  value: number,
  attempt: () => Promise<{ seen: Partial<Seen>; evidence: Partial<Evidence> }>,
): Promise<CapacityAttempt> {
  const keyOf = ({ phase, code }: ErrorRow) => `${phase} ${code}`;
  const before = new Map(errors.rows().map((row) => [keyOf(row), row.count]));
  const newCodes = () => {
    const isNew = (row: ErrorRow) => row.count > (before.get(keyOf(row)) ?? 0);
    const rows = errors.rows().filter(isNew);
    return rows.map(({ code }) => code);
  };
  const resourceOf = (evidence: Partial<Evidence>) =>
    judgeResource({ ...evidence, limitMs, errorCodes: newCodes() });
  try {
    const { seen, evidence } = await attempt();
    signal.throwIfAborted();
    return judgeAttempt(value, seen, limitMs, () => resourceOf(evidence));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ExitError) || error.code !== ExitCode.couldNotConnect) throw error;
    if ([...newCodes(), error.message].some((text) => text.includes(TOKEN_EXPIRED)))
      throw connectError(
        `${TOKEN_EXPIRED}: the access tokens expired before the search ended. Write new ones with ${PROGRAM} register --out, ` +
          "and start nearer to the limit with a lower --most-users.",
      );
    return failedAttempt(value, resourceOf({}), [error.message]);
  }
}

export interface Resource {
  /** `limit`: a configured limit of the server. `unknown`: no resource visible to the tester was exhausted. */
  name: "cpu" | "memory" | "descriptors" | "ports" | "generator" | "limit" | "unknown";
  why: string;
}

/** Observations of an attempt that failed. null: unknown. */
export interface Evidence {
  /** Errors of connections and requests. */
  errorCodes: readonly string[];
  limitMs: number;
  /** Share of a core, 0 to 1, that the tester's busiest thread used, and of time that a thread waited for a core. */
  testerBusy?: number | null;
  testerWaiting?: number | null;
  /** How late the tester sent. */
  sentLateMs?: number;
  /** Cores that the server kept busy while messages were in flight, and the share of its busiest thread. */
  serverCores?: number | null;
  serverThreadBusy?: number | null;
  /** Used by unrelated programs; null if the server is remote. */
  otherProgramsCores?: number | null;
  /** Of the machine, and the share of its memory still available. */
  cores?: number;
  memoryFree?: number;
}

const SENT_LATE_SHARE = 0.25;
const SERVER_BUSY = 0.75;
const MEMORY_FREE = 0.05;

/** The first that explains it: limits of the tester come before those of the server. */
export function judgeResource(evidence: Evidence): Resource {
  const { sentLateMs = 0, serverThreadBusy = null } = evidence;
  const { cores = availableParallelism(), memoryFree = process.availableMemory() / totalmem() } = evidence;
  const testerBusy = evidence.testerBusy ?? 0;
  const testerWaiting = evidence.testerWaiting ?? 0;
  const serverBusy = serverThreadBusy ?? 0;
  const serverCores = evidence.serverCores ?? 0;
  const others = evidence.otherProgramsCores ?? 0;
  const codeOf = (...codes: string[]) => evidence.errorCodes.find((code) => codes.includes(code));
  const descriptors = codeOf("EMFILE", "ENFILE");
  const ports = codeOf("EADDRNOTAVAIL", "EADDRINUSE");
  const limit = codeOf("TOO_MANY_CONNECTIONS", "RATE_LIMITED", "HTTP_429", "HTTP_503");
  const causes = (name: Resource["name"], ...whys: readonly (string | false | undefined)[]) =>
    applying(...whys).map((why): Resource => ({ name, why }));
  const [first] = [
    ...causes("descriptors", descriptors && `${descriptors}: raise ulimit -n`),
    ...causes("ports", ports && `${ports}: widen net.ipv4.ip_local_port_range`),
    ...causes("memory", codeOf("ENOMEM", "ENOBUFS")),
    ...causes("limit", limit && `the server rejects with ${limit}: raise that limit`),
    ...causes(
      "memory",
      memoryFree < MEMORY_FREE && `${percent(memoryFree)} of this machine's memory was left`,
    ),
    ...causes(
      "generator",
      testerBusy > BUSY_LIMIT && `a thread of the tester was busy ${percent(testerBusy)} of the time`,
      sentLateMs > evidence.limitMs * SENT_LATE_SHARE &&
        `the tester sent up to ${Math.round(sentLateMs)} ms late`,
    ),
    ...causes(
      "cpu",
      serverBusy > SERVER_BUSY && `the server's busiest thread was busy ${percent(serverBusy)} of the time`,
      testerWaiting > WAITING_LIMIT &&
        `server and tester share too few cores: a thread waited ${percent(testerWaiting)} of the time`,
      serverThreadBusy === null &&
        serverCores > SERVER_BUSY &&
        `the server used ${serverCores.toFixed(2)} cores while messages were in flight`,
      others > cores * OTHERS_SHARE && `other programs used ${others.toFixed(1)} of the ${cores} cores`,
    ),
    ...causes(
      "unknown",
      "no exhausted resource is visible to the tester (possibly the disk, or another machine)",
    ),
  ];
  return first!;
}
