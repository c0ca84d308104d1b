import { LIMITS, type GatewayStep } from "@fanfare/contract";
import { DurationCounts } from "./duration-counts.ts";

/** What is read off, and not counted, at the end of a step. */
export type Reading = Pick<GatewayStep, "connections" | "eventLoopDelayMs" | "memoryBytes">;

const STEP_MS = LIMITS.metricsStepMs;

/**
 * What one gateway did in the last minutes, in steps that end at the same times in all gateways. Nothing but additions on the way
 * of a message, and a bounded number of steps in memory.
 */
export class RecentSteps {
  readonly #read: () => Reading;
  readonly #steps: GatewayStep[] = [];
  readonly #fanout = new DurationCounts();
  #messages = 0;
  #deliveries = 0;
  #sinceMs: number;

  constructor(read: () => Reading, nowMs: number) {
    this.#read = read;
    this.#sinceMs = nowMs;
  }

  /** Oldest first. */
  get steps(): readonly GatewayStep[] {
    return this.#steps;
  }

  messageAccepted(): void {
    this.#messages += 1;
  }

  /** @param durationMs from the first of these publications to the write to the last socket */
  published(publications: number, sockets: number, durationMs: number): void {
    if (sockets === 0) return;
    this.#deliveries += publications * sockets;
    this.#fanout.add(durationMs, publications);
  }

  /** @returns in how many milliseconds the next step ends */
  endStep(nowMs: number): number {
    const endedAtMs = Math.round(nowMs / STEP_MS) * STEP_MS;
    // The clock was put back.
    while ((this.#steps.at(-1)?.endedAtMs ?? 0) >= endedAtMs) this.#steps.pop();
    const { counts, maxMs } = this.#fanout.take();
    this.#steps.push({
      ...this.#read(),
      endedAtMs,
      durationMs: Math.max(1, nowMs - this.#sinceMs),
      messages: this.#messages,
      deliveries: this.#deliveries,
      fanout: counts,
      fanoutMaxMs: maxMs,
    });
    if (this.#steps.length > LIMITS.metricsMaxSteps) this.#steps.shift();
    this.#messages = 0;
    this.#deliveries = 0;
    this.#sinceMs = nowMs;
    return endedAtMs + STEP_MS - nowMs;
  }
}
