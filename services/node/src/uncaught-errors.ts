import type { NodeContext } from "@fanfare/kernel";

/**
 * Logs every uncaught exception and unhandled rejection of this thread, and calls `onError`: what the process holds in memory can
 * no longer be trusted, so it has to end and be restarted.
 */
export function onUncaughtError({ logger }: Pick<NodeContext, "logger">, onError: () => void): void {
  process.on("uncaughtException", (error, origin) => {
    const what = origin === "unhandledRejection" ? "unhandled rejection" : "uncaught exception";
    logger.fatal({ err: error }, what);
    onError();
  });
}
