import type { Argv } from "yargs";
import { usageError } from "../exit.ts";

/** For commands that measure a running platform, or start one for the run. */
export function serverOptions<T>(yargs: Argv<T>) {
  return yargs
    .option("url", {
      group: "Server:",
      type: "string",
      describe: "The platform to measure; without it one is started for the run and removed",
    })
    .option("metrics-url", {
      group: "Server:",
      type: "string",
      describe: "Where the server's own figures are (Prometheus text)",
    })
    .option("target", {
      group: "Server:",
      type: "string",
      default: "fanfare",
      describe: "The kind of server; this command speaks to no other",
    })
    .check(({ target }) => {
      if (target === "fanfare") return true;
      throw usageError(
        `--target ${target}: this command measures only fanfare. Other servers can be measured with ` +
          "bench broadcast, bench sweep, bench limits --targets and bench capacity --search users.",
      );
    });
}
