import {
  choice,
  EXISTING_USERS_OPTIONS,
  integer,
  PAYLOAD_OPTIONS,
  RECEIVER_OPTIONS,
  SERVER_OPTIONS,
  time,
  type OptionValues,
} from "../../cli/options.ts";
import { short, whole } from "../../report/format.ts";
import type { Resource } from "./resource.ts";
import type { Attempt, Search } from "./search.ts";

const SEARCHES = ["users", "rate"] as const;

export const CAPACITY_OPTIONS = {
  ...SERVER_OPTIONS,
  ...EXISTING_USERS_OPTIONS,
  ...RECEIVER_OPTIONS,
  ...PAYLOAD_OPTIONS,
  limitMs: time("Search", "Time within which every message must reach all members", {
    default: "200ms",
    minMs: 1,
  }),
  search: choice("Search", "Search for members online in one group, messages per second, or both in turn", {
    default: "both",
    choices: [...SEARCHES, "both"],
  }),
  mostUsers: integer("Search", "Upper limit of the search for members", [1, 1_000_000], { default: 20_000 }),
  mostRate: integer("Search", "Upper limit of the search for messages per second", [1, 50_000], {
    default: 20_000,
  }),
  members: integer("Search", "Members online during the search for messages per second", [1, 100_000], {
    default: 100,
  }),
  senders: integer("Search", "Additional members who send", [1, 10_000], { default: 10 }),
  durationMs: time("Search", "How long each rate is sustained", { default: "3s", minMs: 1000 }),
  precision: integer(
    "Search",
    "Percentage between the passing and the failing value at which a search ends",
    [1, 100],
    { default: 10 },
  ),
};

export interface CapacityPlan extends Omit<OptionValues<typeof CAPACITY_OPTIONS>, "threads"> {
  threads: number;
}

/** The quantities searched for, one after the other. */
export function searchesOf({ search }: Pick<CapacityPlan, "search">): readonly (typeof SEARCHES)[number][] {
  return search === "both" ? SEARCHES : [search];
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

export interface CapacitySearch extends Pick<Search<CapacityAttempt>, "held" | "failed" | "attempts"> {
  /** The quantity searched for. */
  what: "users" | "messagesPerSecond";
  /** Members online during the search for the rate; null if their number was searched. */
  members: number | null;
  /** The upper bound of the search. */
  atMost: number;
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

/** Why an attempt fails; empty if it passes. */
function reasonsOf({ worstMs, lost, refused, missed, dropped }: Seen, limitMs: number): string[] {
  const counted = [
    [lost, "deliveries lost"],
    [refused, "messages rejected or not answered"],
    [missed, "messages not sent in time"],
    [dropped, "connections dropped"],
  ] as const;
  const reasons = counted.filter(([count]) => count > 0).map(([count, what]) => `${whole(count)} ${what}`);
  if (worstMs !== null && worstMs > limitMs) reasons.push(`worst message ${short(worstMs)} ms`);
  if (worstMs === null && reasons.length === 0) reasons.push("not every message reached everyone in time");
  return reasons;
}
