import { styleText } from "node:util";
import { duration, mib, ms, whole } from "../report/format.ts";
import type { RegisterResult } from "../report/result.ts";
import { errorTable, section, thresholdLines } from "../report/summary.ts";

/** How fast users were registered, and where their tokens are. */
export function registerSummary(result: RegisterResult): string {
  const { users, target, registration, perServerCpuSecond, server, file } = result;
  const where = target.isThrowaway ? "started for this run" : `at ${target.url}`;
  return [
    styleText("bold", `Register ${whole(users)} users, each joining one group · fanfare, ${where}`),
    ...(result.interrupted ? [styleText("yellow", "  Interrupted: not all were registered.")] : []),
    "",
    ...(registration
      ? [
          `  ${whole(registration.perSecond)}/s · ${whole(registration.users)} in ${duration(registration.durationMs)}` +
            ` · per user p50 ${ms(registration.userMs?.p50)}, p99 ${ms(registration.userMs?.p99)}, p100 ${ms(registration.userMs?.p100)}`,
        ]
      : []),
    ...(perServerCpuSecond === null ? [] : [`  ${whole(perServerCpuSecond)} per second of server CPU`]),
    `  server RSS ${mib(server.before?.rssBytes)} before, ${mib(server.after?.rssBytes)} after`,
    ...(file === null ? [] : [`  tokens: ${file}  (valid for 15 minutes: bench connect --tokens ${file})`]),
    "",
    ...section("Errors", result.errors.length > 0 ? [errorTable(result.errors)] : []),
    ...section("Thresholds", thresholdLines(result)),
  ]
    .join("\n")
    .trimEnd();
}
