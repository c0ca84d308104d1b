import type { Argv } from "yargs";

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
    });
}
