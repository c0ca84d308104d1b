import type { Attempt, Search } from "./search.ts";
import type { Resource } from "./resource.ts";

export interface CapacityAttempt extends Attempt {
  /** The worst message's time to the last member; null: one did not reach everyone. */
  worstMs: number | null;
  medianMs: number | null;
  /** The first message after connecting; null: not measured. */
  firstMs: number | null;
  /** The first message after an idle time; null: not measured. */
  coldMs: number | null;
  acknowledged: number;
  /** Deliveries of acknowledged messages that never arrived. */
  lost: number;
  /** Messages that the server rejected or did not answer. */
  refused: number;
  /** Messages that the tester could not send in time. */
  missed: number;
  dropped: number;
  /** Cores the server kept busy while messages were in flight. */
  serverCores: number | null;
  /** Why the attempt failed; empty if it passed. */
  reasons: string[];
  /** What was exhausted when the attempt failed; null if it passed. */
  resource: Resource | null;
}

export interface CapacitySearch {
  /** The quantity searched for. */
  what: "users" | "messagesPerSecond";
  /** Members online during the search for the rate; null if their number was searched. */
  members: number | null;
  held: CapacityAttempt | null;
  failed: CapacityAttempt | null;
  /** The upper bound of the search. */
  atMost: number;
  attempts: CapacityAttempt[];
}

export interface CapacityMeasurement {
  target: { name: string; url: string; isThrowaway: boolean };
  /** The limit for the p100. */
  p100LimitMs: number;
  searches: CapacitySearch[];
  errors: { phase: string; code: string; count: number }[];
}

export function searchResult(
  { held, failed, attempts }: Search<CapacityAttempt>,
  about: Pick<CapacitySearch, "what" | "members" | "atMost">,
): CapacitySearch {
  return { ...about, held, failed, attempts };
}
