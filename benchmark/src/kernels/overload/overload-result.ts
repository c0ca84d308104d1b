import type { MetricValues } from "../../report/metric.ts";
import { otherProgramsVerdict } from "../broadcast/generator-load.ts";

const MAX_NORMAL_AFTER_MS = 5000;
/** Growth in the second half of the overload that exceeds noise. */
const GROWTH_BYTES = 64 * 1024 * 1024;
const GROWTH_SHARE = 0.2;
const SENT_LATE_MS = 100;
const BUSY = 0.9;

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
  return [...verdicts, ...otherProgramsVerdict(others, "the server had fewer than it could have had.")];
}
