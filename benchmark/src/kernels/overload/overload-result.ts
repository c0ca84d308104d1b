import os from "node:os";
import type { Percentiles } from "../broadcast/percentiles.ts";
import type { MemoryResult } from "./memory-watch.ts";

export interface OverloadMeasurement {
  users: number;
  senders: number;
  stalled: number;
  /** null: a single instance. */
  gateways: number | null;
  workers: number | null;
  capacity: {
    /** Acknowledged messages per second in a closed loop, the best of the steps; or the given value. */
    perSecond: number | null;
    steps: { inFlight: number; perSecond: number; ackMs: Percentiles | null }[];
  };
  overload: {
    offeredPerSecond: number | null;
    durationMs: number;
    intended: number;
    acknowledged: number;
    refused: number;
    /** Not written, because the connection was full. */
    notSent: number;
    /** Neither acknowledged nor rejected at the end of the run. */
    unanswered: number;
    acknowledgedPerSecond: number;
    /** From the intended sending to the answer. */
    ackMs: Percentiles | null;
    refusedMs: Percentiles | null;
    /**
     * From the intended sending to the last receiver, the maximum over acknowledged messages; null: none
     * arrived.
     */
    deliveredMaxMs: number | null;
    refusalsByCode: Record<string, number>;
    /** Processor cores used by the servers, on average. */
    serverCores: number | null;
    /** By kind of process, in a cluster; empty for a single instance. */
    cpuSecondsByKind: Record<string, number>;
    /** Retryable rejections without a retry time. */
    withoutRetryAfter: number;
  };
  baseline: { ackMaxMs: number | null; deliveredMaxMs: number | null };
  recovery: {
    /** A message is normal if it is acknowledged, and delivered, within these times. */
    ackLimitMs: number;
    deliveredLimitMs: number;
    /** From the end of the overload; null: not within the observed time. */
    normalAfterMs: number | null;
    watchedMs: number;
  };
  memory: MemoryResult;
  counts: {
    acknowledged: number;
    stored: number | null;
    storedTwice: number | null;
    /** Acknowledged but not in the database. */
    unstored: number | null;
    /** Receivers that were told to resync or lost their connection; they needn't get every message. */
    disturbed: number;
    resyncs: number;
    /** Deliveries of acknowledged messages that never reached the other receivers. */
    lost: number;
  };
  tester: {
    /** The maximum delay of a message after its intended time. */
    sentLateMs: number;
    senderBusy: number | null;
    receiverBusy: number | null;
    /** Cores of this machine used by unrelated programs. */
    otherProgramsCores: number | null;
  };
  /** Misbehavior of the server or the tester; empty: none. */
  verdicts: string[];
  errors: { phase: string; code: string; count: number }[];
}

const MAX_NORMAL_AFTER_MS = 5000;
/** Growth in the second half of the overload that exceeds noise. */
const GROWTH_BYTES = 64 * 1024 * 1024;
const GROWTH_SHARE = 0.2;
const SENT_LATE_MS = 100;
const BUSY = 0.9;
const OTHERS_SHARE = 0.25;

/** The problems found. An overload is survived if there are none. */
export function judgeOverload(result: Omit<OverloadMeasurement, "verdicts">): string[] {
  const { overload, counts, memory, recovery, tester } = result;
  const verdicts: string[] = [];
  const say = (isSo: boolean, text: string) => isSo && verdicts.push(text);
  say((counts.unstored ?? 0) > 0, `${counts.unstored} acknowledged messages are not in the database.`);
  say((counts.storedTwice ?? 0) > 0, `${counts.storedTwice} messages are in the database twice.`);
  say(counts.lost > 0, `${counts.lost} deliveries of acknowledged messages never arrived.`);
  say(overload.unanswered > 0, `${overload.unanswered} messages were neither acknowledged nor rejected.`);
  say(
    overload.withoutRetryAfter > 0,
    `${overload.withoutRetryAfter} rejections had no retry time (retryAfterMs).`,
  );
  const { normalAfterMs, watchedMs } = recovery;
  if (normalAfterMs === null) {
    verdicts.push(`Service was not normal again within the ${watchedMs / 1000} s observed.`);
  } else {
    const seconds = (normalAfterMs / 1000).toFixed(1);
    say(normalAfterMs > MAX_NORMAL_AFTER_MS, `Service was normal again only after ${seconds} s.`);
  }
  const { growthBytes, peakBytes } = memory;
  if (growthBytes !== null && growthBytes > Math.max(GROWTH_BYTES, peakBytes! * GROWTH_SHARE)) {
    const mib = Math.round(growthBytes / 1024 / 1024);
    verdicts.push(`The memory of the services grew by ${mib} MiB in the second half of the overload.`);
  }
  if (tester.sentLateMs > SENT_LATE_MS || (tester.senderBusy ?? 0) > BUSY) {
    verdicts.push(
      `The tester sent messages up to ${Math.round(tester.sentLateMs)} ms late: times are overstated by up to that.`,
    );
  }
  const cores = os.availableParallelism();
  if ((tester.otherProgramsCores ?? 0) > cores * OTHERS_SHARE) {
    verdicts.push(
      `Other programs used ${tester.otherProgramsCores!.toFixed(1)} of the ${cores} cores of this machine: ` +
        "the server had fewer than it could have had.",
    );
  }
  return verdicts;
}
