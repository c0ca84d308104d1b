import { BUSY_LIMIT, otherProgramsVerdict, WAITING_LIMIT } from "../broadcast/generator-load.ts";
import type { OpenPercentiles, Percentiles } from "../broadcast/percentiles.ts";

/** If one request in a hundred is later than this, and than this share of the p99, it distorts the p99. */
const LATE_MS = 5;
const LATE_SHARE = 0.2;

/** The tester's own load while it measured; null: unknown. */
export interface JudgedLoad {
  /** Of the busiest thread of each kind: its share of a core, and the share of time it waited for one. */
  senderBusy: number | null;
  senderWaiting: number | null;
  receiverBusy: number | null;
  receiverWaiting: number | null;
  /** From the intended to the actual sending. */
  sentLateMs: Percentiles | null;
  /** Cores used by unrelated programs. */
  otherProgramsCores: number | null;
  missed: number;
  intended: number;
  ackMs: OpenPercentiles | null;
}

/** Whether the tester, or the machine, made the figures worse than the server's own. */
export function judgeLoad(load: JudgedLoad): string[] {
  const verdicts: string[] = [];
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const { missed, intended, sentLateMs, ackMs } = load;
  if (missed > 0) {
    verdicts.push(
      `${missed} of ${intended} due requests were not made: their connection was lost, or had too many ` +
        "unanswered. The latencies don't include them. Use a lower --rate, or more --senders.",
    );
  }
  if (sentLateMs && ackMs && sentLateMs.p99 > Math.max(LATE_MS, (ackMs.p99 ?? 0) * LATE_SHARE)) {
    verdicts.push(
      `The tester was late: one request in a hundred was made ${sentLateMs.p99.toFixed(1)} ms or more after it was due. ` +
        "The latencies include that. Use more --sending-threads, a lower --rate, or another machine for the tester.",
    );
  }
  for (const [name, busy] of [
    ["sending", load.senderBusy],
    ["receiving", load.receiverBusy],
  ] as const) {
    if (busy === null || busy <= BUSY_LIMIT) continue;
    verdicts.push(
      `The tester was the bottleneck: its busiest ${name} thread was busy ${percent(busy)} of the time. ` +
        "Use more --sending-threads, or another machine for the tester.",
    );
  }
  const waiting = Math.max(load.senderWaiting ?? 0, load.receiverWaiting ?? 0);
  if (waiting > WAITING_LIMIT) {
    verdicts.push(
      `This machine has too few free cores: a thread of the tester waited for one ${percent(waiting)} of the time.`,
    );
  }
  const effect =
    "the figures are worse than the server's own, and only ratios within one run are meaningful.";
  return [...verdicts, ...otherProgramsVerdict(load.otherProgramsCores, effect)];
}
