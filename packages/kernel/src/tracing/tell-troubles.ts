import { diag, DiagLogLevel } from "@opentelemetry/api";
import type { Logger } from "../logger.ts";
import { runInScope } from "../request-scope.ts";

/** A collector that is away is told of so often, and no oftener. */
const TELL_EVERY_MS = 60_000;
const MAX_REASON_CHARS = 300;

/** What OpenTelemetry complains of becomes a warning now and then: that traces cannot be sent is no trouble for anybody who chats. */
export function tellTroubles(logger: Logger, endpoint: string): void {
  let nextAtMs = 0;
  let untold = 0;
  const tell = (reason: unknown): void => {
    const nowMs = performance.now();
    if (nowMs < nextAtMs) {
      untold += 1;
      return;
    }
    nextAtMs = nowMs + TELL_EVERY_MS;
    const fields = { collector: new URL(endpoint).host, reason: messageOf(reason), untold };
    untold = 0;
    // Whichever request it was that its spans were sent after.
    runInScope(undefined, () => logger.warn(fields, "traces could not be sent"));
  };
  const nothing = (): void => {};
  const told = { error: tell, warn: tell, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(told, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** OpenTelemetry hands errors over as JSON. */
function messageOf(reason: unknown): string {
  const text = String(reason);
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text;
  return message.slice(0, MAX_REASON_CHARS);
}
