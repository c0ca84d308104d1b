import { destination, type DestinationStream, type Logger, pino } from "pino";
import type { Config } from "./config.ts";
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
 * One line for each event. Lines of a request contain its id and, if traced, the trace and span ids; docs/run/observability.md
 * describes the fields. Of an error it has type, message, code and stack. No message, token, password or e-mail address, whatever
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

/** An error in the log: what it is, what it says, where it was thrown, and what caused it. */
interface DescribedError {
  type: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: DescribedError;
}

const MAX_CAUSES = 5;
const MAX_MESSAGE_CHARS = 1000;

/**
 * Of an error nothing but these. Errors of the database driver carry the documents that were refused, those of the mail transport the
 * recipients, those of a parser what it read: whatever else an error has stays out of the log.
 */
export function describeError(thrown: unknown, causes = MAX_CAUSES): DescribedError {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: "what was thrown is no error" };
  const { code, cause } = thrown as { code?: unknown; cause?: unknown };
  const frames = framesOf(thrown);
  return {
    type: thrown.name,
    message: withoutValues(thrown.message).slice(0, MAX_MESSAGE_CHARS),
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(frames.length > 0 && { stack: frames.join("\n") }),
    ...(cause !== undefined && causes > 0 && { cause: describeError(cause, causes - 1) }),
  };
}

/** V8 writes the message in front of them, which may have lines that look like one. */
function framesOf({ message, stack = "" }: Error): string[] {
  const begin = stack.indexOf(message);
  const own = begin === -1 ? stack : stack.slice(begin + message.length);
  return own.split("\n").filter((line) => /^\s+at /.test(line));
}

/** Patterns of library messages that quote input. */
const QUOTED: readonly [RegExp, string][] = [
  // MongoDB: E11000 duplicate key error collection: fanfare.users index: email dup key: { email: "…" }
  [/dup key: .*/s, "dup key"],
  // Mongoose: Cast to ObjectId failed for value "…" (type string) at path "_id"
  [/for value .* \(type /s, "for a value (type "],
  // V8: Unexpected token 'h', "hello" is not valid JSON
  [/'.', (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON/su, "in what is not valid JSON"],
];

function withoutValues(message: string): string {
  let cleared = message;
  for (const [quoted, instead] of QUOTED) cleared = cleared.replace(quoted, instead);
  return cleared;
}

/** Maximum number of equal lines per period; further ones are counted. */
const MAX_EQUAL = 20;
const PERIOD_MS = 10_000;
/** Distinct lines that are counted in one period; further ones are always written. */
const MAX_KINDS = 1000;
/** Levels below, in pino's numbers, are written always. */
const WARN = 40;

/**
 * Limits how often warnings and errors that say the same are logged: when the database is away or the server is overloaded, every call fails
 * for the same reason, and writing a line for each costs what is left of the processor.
 */
export class EqualLines {
  readonly #nowMs: () => number;
  #counts = new Map<string, number>();
  #sinceMs: number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#sinceMs = nowMs();
  }

  /**
   * @param parts what was given to the logger: fields and message, or only a message
   * @returns whether to write the line, and what was left out in the period before it, by message
   */
  take(level: number, parts: readonly unknown[]): { isWritten: boolean; leftOut: Map<string, number> } {
    const leftOut =
      this.#nowMs() - this.#sinceMs >= PERIOD_MS ? this.#startPeriod() : new Map<string, number>();
    if (level < WARN) return { isWritten: true, leftOut };
    const kind = kindOf(parts);
    const count = (this.#counts.get(kind) ?? 0) + 1;
    if (count === 1 && this.#counts.size >= MAX_KINDS) return { isWritten: true, leftOut };
    this.#counts.set(kind, count);
    return { isWritten: count <= MAX_EQUAL, leftOut };
  }

  #startPeriod(): Map<string, number> {
    const leftOut = new Map<string, number>();
    for (const [kind, count] of this.#counts) if (count > MAX_EQUAL) leftOut.set(kind, count - MAX_EQUAL);
    this.#counts = new Map();
    this.#sinceMs = this.#nowMs();
    return leftOut;
  }
}

/** The message, with that of an error where there is one: ids and other fields differ. */
function kindOf([first, second]: readonly unknown[]): string {
  if (typeof first === "string") return first;
  const error = first instanceof Error ? first : (first as { err?: unknown } | null | undefined)?.err;
  const message = typeof second === "string" ? second : "";
  return error instanceof Error ? `${message}: ${error.name}: ${error.message}` : message;
}

/**
 * What looks like a token or an e-mail address, and must not be in a log whatever brought it there. The last line of defence: nothing is meant
 * to log any. None of them matches a quote or a backslash, so that JSON stays JSON; and none looks at a character more than some dozen
 * times, however long the line.
 */
const SECRETS: readonly [RegExp, string][] = [
  // Access tokens.
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "[token]"],
  // Refresh tokens, those of bots, keys: 32 random bytes and more in base64url.
  [/(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{43,}(?![\w-])/g, "[token]"],
  // Name and password in a URL.
  [/\/\/[^\s"'\\/@]+@/g, "//[user]@"],
  [/[\w.!#$%&*+=?^`{|}~-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,}/gi, "[e-mail]"],
];

export function withoutSecrets(line: string): string {
  let cleared = line;
  for (const [secret, instead] of SECRETS) cleared = cleared.replace(secret, instead);
  return cleared;
}
