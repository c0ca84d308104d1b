import { applying } from "../../report/format.ts";
import type { OpenPercentiles, Percentiles } from "../broadcast/percentiles.ts";
import { testerCaveats, type TesterLoad } from "../broadcast/tester-watch.ts";

/** If one request in a hundred is later than this, and than this share of the p99, it distorts the p99. */
const LATE_MS = 5;
const LATE_SHARE = 0.2;

export interface JudgedLoad extends TesterLoad {
  /** From the intended to the actual sending. */
  sentLateMs: Percentiles | null;
  missed: number;
  intended: number;
  ackMs: OpenPercentiles | null;
}

const BUSY_CONNECTION =
  "their connection was lost, or had too many unanswered. Use a lower --rate, or more --senders.";

/**
 * Whether the tester, or the machine, made the figures worse than the server's own.
 * @param missedWhy why requests were missed, and what helps
 */
export function judgeLoad(load: JudgedLoad, missedWhy = BUSY_CONNECTION): string[] {
  const { missed, intended, sentLateMs, ackMs } = load;
  const late = sentLateMs && ackMs && sentLateMs.p99 > Math.max(LATE_MS, (ackMs.p99 ?? 0) * LATE_SHARE);
  return [
    ...applying(
      missed > 0 &&
        `${missed} of ${intended} due requests were not made, and are not in the latencies: ${missedWhy}`,
      late &&
        `The tester was late: one request in a hundred was made ${sentLateMs.p99.toFixed(1)} ms or more after it was due. ` +
          "The latencies include that. Use more --sending-threads, a lower --rate, or another machine for the tester.",
    ),
    ...testerCaveats(load, ackMs?.p100),
  ];
}
