import { styleText } from "node:util";
import { duration, mib, short, whole } from "../report/format.ts";
import type { HttpResult } from "../report/result.ts";
import { errorTable, section, thresholdLines } from "../report/summary.ts";
import { refusedLines } from "./refused-lines.ts";
import type { HttpMeasurement } from "./http-result.ts";

const BUSY = 0.9;

/** In the form of `ab`, plus what `ab` can't see: whether messages are stored, and their size on disk. */
export function httpSummary(result: HttpResult): string {
  const { counts } = result;
  const where = result.target.isThrowaway ? "started for this run" : `at ${result.target.url}`;
  const isClean = counts.refused + counts.unanswered + (counts.behind ?? 0) === 0;
  return [
    styleText("bold", `Direct messages by HTTP · POST /api/message.send · fanfare, ${where}`),
    `${whole(result.users)} users, ${whole(result.channels)} direct channels, random sender and receiver`,
    ...(result.interrupted ? [styleText("yellow", "  Interrupted: partial result.")] : []),
    "",
    styleText(
      isClean ? "green" : "red",
      `  ${whole(counts.sent)} sent · ${whole(counts.acknowledged)} acknowledged · ` +
        `${counts.stored === null ? "stored not counted" : `${whole(counts.stored)} stored`} · ` +
        `${whole(counts.refused)} rejected · ${whole(counts.unanswered)} unanswered`,
    ),
    "",
    ...abLines(result),
    "",
    ...section("Refused", refusedLines(result)),
    ...section("Storing", storeLines(result)),
    ...section("Errors", result.errors.length > 0 ? [errorTable(result.errors)] : []),
    ...section("Thresholds", thresholdLines(result)),
  ]
    .join("\n")
    .trimEnd();
}

function abLines({
  concurrency,
  measuredMs,
  counts,
  rates,
  percentiles,
  testerBusy,
}: HttpMeasurement): string[] {
  const perSecond = rates.acknowledgedPerSecond;
  return [
    `Concurrency Level:      ${concurrency}`,
    `Time taken for tests:   ${(measuredMs / 1000).toFixed(3)} seconds`,
    `Complete requests:      ${counts.acknowledged + counts.refused}`,
    `Failed requests:        ${counts.refused + counts.unanswered}`,
    `Keep-Alive requests:    ${counts.acknowledged + counts.refused}`,
    `Requests per second:    ${perSecond === null ? "-" : perSecond.toFixed(2)} [#/sec] (mean, acknowledged only)`,
    "",
    "Percentage of the requests served within a certain time (ms)",
    ...(percentiles ?? []).map(
      ({ percent, ms }) =>
        `${`${percent}%`.padStart(5)} ${ms.toFixed(ms < 10 ? 1 : 0).padStart(6)}` +
        (percent === 100 ? " (longest request)" : ""),
    ),
    ...(testerBusy > BUSY
      ? [styleText("yellow", "The tester's thread was the bottleneck: the server can do more than this.")]
      : []),
  ];
}

function storeLines({ counts, rates, bytesPerMillion, measuredMs }: HttpMeasurement): string[] {
  const perCpu = rates.acknowledgedPerCpuSecond;
  return [
    counts.behind === 0
      ? `  No queue behind the responses: everything was in the database after ${duration(measuredMs)}, ` +
        `${rates.storedPerSecond === null ? "–" : whole(rates.storedPerSecond)}/s`
      : `  ${counts.behind === null ? "Not counted" : `${whole(counts.behind)} acknowledged messages were not in the database`}`,
    ...(perCpu === null ? [] : [`  ${whole(perCpu)} per second of server CPU`]),
    ...(bytesPerMillion === null
      ? []
      : [
          `  ${mib(bytesPerMillion)} on disk per million messages, ${short(bytesPerMillion / 1e6)} bytes each`,
        ]),
  ];
}
