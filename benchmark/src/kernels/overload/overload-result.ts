import os from "node:os";
import type { MetricValues } from "../../report/metric.ts";
import type { ErrorRow } from "../../report/result.ts";
import type { Percentiles } from "../broadcast/percentiles.ts";
import type { MemorySample } from "../requests/memory-watch.ts";
import type { OverloadPlan } from "./overload-plan.ts";
import type { Recovery } from "./recovery.ts";

/** A closed loop in the search for the capacity. */
export interface CapacityStep {
  inFlight: number;
  perSecond: number;
  ackMs: Percentiles | null;
}

export interface OverloadMeasurement {
  plan: OverloadPlan;
  /** Of the whole run, and of the requests during the overload. */
  values: MetricValues;
  overload: MetricValues;
  /** By kind of process, in a cluster; empty for a single instance. */
  cpuMsPerMessage: Record<string, number>;
  steps: CapacityStep[];
  baseline: { ackMaxMs: number | null; deliveredMaxMs: number | null };
  recovery: Recovery;
  refusalsByCode: Record<string, number>;
  memory: MemorySample[];
  /** Misbehavior of the server or the tester; empty: none. */
  verdicts: string[];
  errors: ErrorRow[];
}

const MAX_NORMAL_AFTER_MS = 5000;
/** Growth in the second half of the overload that exceeds noise. */
const GROWTH_BYTES = 64 * 1024 * 1024;
const GROWTH_SHARE = 0.2;
const SENT_LATE_MS = 100;
const BUSY = 0.9;
const OTHERS_SHARE = 0.25;

/** The problems found. An overload is survived if there are none. */
export function judgeOverload(
  values: MetricValues,
  { unanswered, watchedMs }: { unanswered: number; watchedMs: number },
): string[] {
  const verdicts: string[] = [];
  const say = (isSo: boolean, text: string) => isSo && verdicts.push(text);
  const { unstored, storedTwice, lost, withoutRetryAfter, normalAfterMs, senderDelayMs } = values;
  say((unstored ?? 0) > 0, `${unstored} acknowledged messages are not in the database.`);
  say((storedTwice ?? 0) > 0, `${storedTwice} messages are in the database twice.`);
  say((lost ?? 0) > 0, `${lost} deliveries of acknowledged messages never arrived.`);
  say(unanswered > 0, `${unanswered} messages were neither acknowledged nor rejected.`);
  say((withoutRetryAfter ?? 0) > 0, `${withoutRetryAfter} rejections had no retry time (retryAfterMs).`);
  if (normalAfterMs === null || normalAfterMs === undefined) {
    verdicts.push(`Service was not normal again within the ${watchedMs / 1000} s observed.`);
  } else {
    const seconds = (normalAfterMs / 1000).toFixed(1);
    say(normalAfterMs > MAX_NORMAL_AFTER_MS, `Service was normal again only after ${seconds} s.`);
  }
  const { memoryGrowthBytes: growth, memoryPeakBytes: peak, otherProgramsCores: others } = values;
  if ((growth ?? 0) > Math.max(GROWTH_BYTES, (peak ?? 0) * GROWTH_SHARE)) {
    const mib = Math.round(growth! / 1024 / 1024);
    verdicts.push(`The memory of the services grew by ${mib} MiB in the second half of the overload.`);
  }
  if (senderDelayMs! > SENT_LATE_MS || (values.senderBusy ?? 0) > BUSY) {
    verdicts.push(
      `The tester sent messages up to ${Math.round(senderDelayMs!)} ms late: times are overstated by up to that.`,
    );
  }
  const cores = os.availableParallelism();
  if ((others ?? 0) > cores * OTHERS_SHARE) {
    verdicts.push(
      `Other programs used ${others!.toFixed(1)} of the ${cores} cores of this machine: ` +
        "the server had fewer than it could have had.",
    );
  }
  return verdicts;
}
