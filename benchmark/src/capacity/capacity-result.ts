import type { Attempt, Search } from "./search.ts";
import type { Resource } from "./resource.ts";

export interface CapacityAttempt extends Attempt {
  /** The worst of all messages, until the last member had it; null: one never came to somebody. */
  p100Ms: number | null;
  acknowledged: number;
  /** Deliveries of acknowledged messages that never came. */
  lost: number;
  /** Messages that the server refused or did not answer. */
  refused: number;
  /** Messages that the tester could not send when it should have. */
  missed: number;
  dropped: number;
  /** Cores that the server kept busy while messages were on their way. */
  serverCores: number | null;
  /** Why it did not hold, in words; empty: it did. */
  reasons: string[];
  /** What had given out when it did not hold; null: it did. */
  resource: Resource | null;
}

export interface CapacitySearch {
  /** What was made larger and larger. */
  what: "users" | "messagesPerSecond";
  /** Members online while the rate was searched; null: they are what was searched. */
  members: number | null;
  held: CapacityAttempt | null;
  failed: CapacityAttempt | null;
  /** The bound of the search. */
  atMost: number;
  attempts: CapacityAttempt[];
}

export interface CapacityMeasurement {
  target: { name: string; url: string; isThrowaway: boolean };
  /** What the p100 had to stay within. */
  p100LimitMs: number;
  searches: CapacitySearch[];
  errors: { phase: string; code: string; count: number }[];
}

export const CAPACITY_METRICS = ["users", "messagesPerSecond", "deliveriesPerSecond"] as const;

export function capacityMetrics({
  searches,
}: Pick<CapacityMeasurement, "searches">): Record<(typeof CAPACITY_METRICS)[number], number | null> {
  const held = (what: CapacitySearch["what"]) => searches.find((search) => search.what === what)?.held?.value;
  const rate = held("messagesPerSecond") ?? null;
  const members = searches.find(({ what }) => what === "messagesPerSecond")?.members ?? null;
  return {
    users: held("users") ?? null,
    messagesPerSecond: rate,
    deliveriesPerSecond: rate === null || members === null ? null : rate * members,
  };
}

export function searchResult(
  { held, failed, attempts }: Search<CapacityAttempt>,
  about: Pick<CapacitySearch, "what" | "members" | "atMost">,
): CapacitySearch {
  return { ...about, held, failed, attempts };
}
