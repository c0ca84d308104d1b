import { Counter, type NodeContext } from "@fanfare/kernel";

/**
 * An error that nobody has caught is logged and counted (fanfare_uncaught_errors_total), and the process goes on: what
 * was acknowledged is stored already, and ending it would cut off everybody for one faulty listener.
 */
export function superviseErrors({ logger, metrics }: Pick<NodeContext, "logger" | "metrics">): void {
  const uncaught = new Counter({
    name: "fanfare_uncaught_errors_total",
    help: "Errors that nobody caught. Each is a fault of the program: see the log.",
    labelNames: ["kind"],
    registers: [metrics],
  });
  // From the start, so that the first one is an increase.
  for (const kind of ["exception", "rejection"]) uncaught.inc({ kind }, 0);
  const note = (kind: "exception" | "rejection") => (error: unknown) => {
    uncaught.inc({ kind });
    logger.error({ err: error, kind }, "nobody caught an error");
  };
  process.on("uncaughtException", note("exception"));
  process.on("unhandledRejection", note("rejection"));
}
