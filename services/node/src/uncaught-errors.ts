import type { NodeContext } from "@fanfare/kernel";

/**
 * Logs uncaught exceptions and unhandled rejections of this thread, and calls `onError`: the state in memory can no longer be
 * trusted, so the process must be restarted.
 */
export function onUncaughtError({ logger }: Pick<NodeContext, "logger">, onError: () => void): void {
  process.on("uncaughtException", (error, origin) => {
    const what = origin === "unhandledRejection" ? "unhandled rejection" : "uncaught exception";
    logger.fatal({ err: error }, what);
    onError();
  });
}
