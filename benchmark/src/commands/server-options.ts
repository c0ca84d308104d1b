import type { Argv } from "yargs";
import { usageError } from "../exit.ts";

/** For commands that measure a running platform, or start one for the run. */
export function serverOptions<T>(yargs: Argv<T>) {
  return yargs
    .option("url", {
      group: "Server:",
      type: "string",
      describe: "URL of the platform to measure; default: start one for the run and remove it",
    })
    .option("metrics-url", {
      group: "Server:",
      type: "string",
      describe: "URL of the server's metrics (Prometheus text)",
    })
    .option("target", {
      group: "Server:",
      type: "string",
      default: "fanfare",
      describe: "Kind of server; this command supports no other",
    })
    .check(({ target }) => {
      if (target === "fanfare") return true;
      throw usageError(
        `--target ${target}: this command only measures fanfare. Other servers can be measured with ` +
          "bench broadcast and bench capacity --search users.",
      );
    });
}
