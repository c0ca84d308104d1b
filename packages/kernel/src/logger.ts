import { destination, pino, type DestinationStream, type Logger } from "pino";
import type { Config } from "./config.ts";
import { describeError } from "./logs/describe-error.ts";
import { EqualLines } from "./logs/equal-lines.ts";
import { withoutSecrets } from "./logs/without-secrets.ts";
import { currentScope } from "./request-scope.ts";

interface Line {
  time: string;
  level: string;
  msg?: string;
  err?: { type: string; message: string; stack?: string; cause?: Line["err"] };
  [field: string]: unknown;
}

/** The same in every line of a process, and so of no interest on a screen. */
const LEFT_OUT = new Set(["time", "level", "msg", "err", "pid", "node"]);

export type { Logger };

export interface LoggerOptions {
  /** In development lines are for a person to read, otherwise JSON. Default "production". */
  environment?: Config["environment"];
  /** What this process, or this thread of it, is called in the cluster. */
  node?: string;
  /** Default: stderr, so that stdout stays free for what a person reads. */
  stream?: DestinationStream;
}

/** Fields that are never written, on their own or within another one. */
const SECRET_FIELDS = [
  "password",
  "accessToken",
  "refreshToken",
  "token",
  "authorization",
  "content",
  "email",
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/**
 * One line for each event. What is logged for a request has its id, and where it is traced the ids of trace and span: docs/observability.md
 * says what the fields mean. Of an error it has type, message, code and stack. No message, token, password or e-mail address, whatever
 * object they come in.
 */
export function createLogger(
  level: string,
  { environment = "production", node, stream = destination(2) }: LoggerOptions = {},
): Logger {
  const equalLines = new EqualLines();
  return pino(
    {
      level,
      base: { pid: process.pid, ...(node !== undefined && { node }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (name) => ({ level: name }) },
      mixin: ofRequest,
      serializers: { err: (error: unknown) => describeError(error) },
      redact: SECRET_FIELDS,
      hooks: {
        streamWrite: withoutSecrets,
        logMethod(parts, write, level) {
          const { isWritten, leftOut } = equalLines.take(level, parts);
          for (const [line, times] of leftOut)
            write.apply(this, [{ line, times }, "equal lines were left out"]);
          if (isWritten) write.apply(this, parts);
        },
      },
    },
    environment === "development" ? readableLines(stream) : stream,
  );
}

/** Whether every call is to be logged. */
export function logsCalls({ level }: Pick<Logger, "level">): boolean {
  return level === "debug" || level === "trace";
}

/** OpenTelemetry's names for the ids of trace and span in logs, which log stores look for. */
function ofRequest(): object {
  const scope = currentScope();
  if (scope === undefined) return {};
  const { requestId, action, span } = scope;
  if (span === undefined) return { requestId, action };
  const { traceId, spanId } = span.spanContext();
  return { requestId, action, trace_id: traceId, span_id: spanId };
}

/**
 * Writes each line of JSON as one that a person reads: time, level, what happened, and the fields after it; below it the error. Not
 * pino-pretty, which would bring twelve packages into the image for what only a terminal shows.
 */
function readableLines(stream: DestinationStream): DestinationStream {
  return { write: (json) => stream.write(readable(JSON.parse(json) as Line)) };
}

function readable(line: Line): string {
  const { time, level, msg = "", err } = line;
  const fields = Object.entries(line)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  // Of the time what a clock on the wall shows.
  const head = [time.slice(11, 23), level.toUpperCase().padEnd(5), msg, ...fields].join(" ");
  return `${head.trimEnd()}\n${errorLines(err)}`;
}

function errorLines(err: Line["err"], prefix = ""): string {
  if (err === undefined) return "";
  const { type, message, stack, cause } = err;
  const frames = stack === undefined ? "" : `${stack}\n`;
  return `  ${prefix}${type}: ${message}\n${frames}${errorLines(cause, "because of ")}`;
}
