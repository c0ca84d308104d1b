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

/** Fields omitted from the text format, because they are the same in every line or shown elsewhere. */
const OMITTED_FIELDS = new Set(["time", "level", "msg", "err", "pid", "node"]);

export type { Logger };

export interface LoggerOptions {
  /** Lines are text in development, otherwise JSON. Default: "production". */
  environment?: Config["environment"];
  /** The node id of this process or thread. */
  node?: string;
  /** Default: stderr, so that stdout is free for command output. */
  stream?: DestinationStream;
}

/** Fields that are redacted at any of three levels. */
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
 * Creates a logger. Lines of a request contain its id and, if traced, the trace and span ids; docs/run/observability.md describes
 * the fields. Errors are logged with type, message, code and stack only. Message contents, tokens, passwords and email addresses are
 * redacted.
 */
export function createLogger(
  level: string,
  { environment = "production", node, stream = destination(2) }: LoggerOptions = {},
): Logger {
  const throttle = new LineThrottle();
  return pino(
    {
      level,
      base: { pid: process.pid, ...(node !== undefined && { node }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (name) => ({ level: name }) },
      mixin: requestFields,
      serializers: { err: (error: unknown) => describeError(error) },
      redact: SECRET_FIELDS,
      hooks: {
        streamWrite: withoutSecrets,
        logMethod(parts, write, level) {
          const { isWritten, suppressed } = throttle.take(level, parts);
          for (const [line, times] of suppressed)
            write.apply(this, [{ line, times }, "equal lines suppressed"]);
          if (isWritten) write.apply(this, parts);
        },
      },
    },
    environment === "development" ? textStream(stream) : stream,
  );
}

/** Whether every call is logged. */
export function logsCalls({ level }: Pick<Logger, "level">): boolean {
  return level === "debug" || level === "trace";
}

/** The fields of the current request. Trace and span ids have OpenTelemetry's names, which log backends expect. */
function requestFields(): object {
  const scope = currentScope();
  if (scope === undefined) return {};
  const { requestId, action, span } = scope;
  if (span === undefined) return { requestId, action };
  const { traceId, spanId } = span.spanContext();
  return { requestId, action, trace_id: traceId, span_id: spanId };
}

/**
 * Formats JSON lines as text: time, level, message and fields, with the error below. Replaces pino-pretty, which would add twelve
 * packages to the image.
 */
function textStream(stream: DestinationStream): DestinationStream {
  return { write: (json) => stream.write(formatLine(JSON.parse(json) as Line)) };
}

function formatLine(line: Line): string {
  const { time, level, msg = "", err } = line;
  const fields = Object.entries(line)
    .filter(([name]) => !OMITTED_FIELDS.has(name))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  // Only the time of day.
  const head = [time.slice(11, 23), level.toUpperCase().padEnd(5), msg, ...fields].join(" ");
  return `${head.trimEnd()}\n${errorLines(err)}`;
}

function errorLines(err: Line["err"], prefix = ""): string {
  if (err === undefined) return "";
  const { type, message, stack, cause } = err;
  const frames = stack === undefined ? "" : `${stack}\n`;
  return `  ${prefix}${type}: ${message}\n${frames}${errorLines(cause, "caused by ")}`;
}

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
 * Describes an error without its other properties: errors of the database driver contain documents, those of the mail transport
 * recipients, and those of parsers their input.
 */
export function describeError(thrown: unknown, causes = MAX_CAUSES): DescribedError {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: "the thrown value is not an Error" };
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

/** The stack frames without the message before them, which can have lines that look like frames. */
function framesOf({ message, stack = "" }: Error): string[] {
  const begin = stack.indexOf(message);
  const own = begin === -1 ? stack : stack.slice(begin + message.length);
  return own.split("\n").filter((line) => /^\s+at /.test(line));
}

/** Parts of library messages that quote input. */
const QUOTED: readonly [RegExp, string][] = [
  // MongoDB: E11000 duplicate key error collection: fanfare.users index: email dup key: { email: "…" }
  [/dup key: .*/s, "dup key"],
  // Mongoose: Cast to ObjectId failed for value "…" (type string) at path "_id"
  [/for value .* \(type /s, "for a value (type "],
  // V8: Unexpected token 'h', "hello" is not valid JSON
  [/'.', (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON/su, "in invalid JSON"],
];

function withoutValues(message: string): string {
  let redacted = message;
  for (const [quoted, replacement] of QUOTED) redacted = redacted.replace(quoted, replacement);
  return redacted;
}

/** Maximum number of equal lines per period; further ones are counted. */
const MAX_EQUAL = 20;
const PERIOD_MS = 10_000;
/** Maximum number of distinct lines to count per period; further ones are always written. */
const MAX_KINDS = 1000;
/** pino's number of the level; lower levels are not throttled. */
const WARN = 40;

/**
 * Throttles equal warnings and errors. If the database is unavailable or the server overloaded, every call fails for the same reason,
 * and logging each would use up the remaining CPU time.
 */
export class LineThrottle {
  readonly #nowMs: () => number;
  #counts = new Map<string, number>();
  #sinceMs: number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#sinceMs = nowMs();
  }

  /**
   * @param parts the arguments of the log call: fields and message, or only a message
   * @returns whether to write the line, and how many lines were suppressed in the previous period, by message
   */
  take(level: number, parts: readonly unknown[]): { isWritten: boolean; suppressed: Map<string, number> } {
    const suppressed =
      this.#nowMs() - this.#sinceMs >= PERIOD_MS ? this.#startPeriod() : new Map<string, number>();
    if (level < WARN) return { isWritten: true, suppressed };
    const kind = kindOf(parts);
    const count = (this.#counts.get(kind) ?? 0) + 1;
    if (count === 1 && this.#counts.size >= MAX_KINDS) return { isWritten: true, suppressed };
    this.#counts.set(kind, count);
    return { isWritten: count <= MAX_EQUAL, suppressed };
  }

  #startPeriod(): Map<string, number> {
    const suppressed = new Map<string, number>();
    for (const [kind, count] of this.#counts) if (count > MAX_EQUAL) suppressed.set(kind, count - MAX_EQUAL);
    this.#counts = new Map();
    this.#sinceMs = this.#nowMs();
    return suppressed;
  }
}

/** Lines are equal if message and error are, because ids and other fields differ. */
function kindOf([first, second]: readonly unknown[]): string {
  if (typeof first === "string") return first;
  const error = first instanceof Error ? first : (first as { err?: unknown } | null | undefined)?.err;
  const message = typeof second === "string" ? second : "";
  return error instanceof Error ? `${message}: ${error.name}: ${error.message}` : message;
}

/**
 * Redacts what looks like a token or an email address. This is the last line of defense; no code logs these intentionally. The
 * patterns match no quotes or backslashes, so lines stay valid JSON, and need linear time.
 */
const SECRETS: readonly [RegExp, string][] = [
  // Access tokens.
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "[token]"],
  // Refresh tokens, bot tokens and keys: at least 32 random bytes in base64url.
  [/(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{43,}(?![\w-])/g, "[token]"],
  // Credentials in URLs.
  [/\/\/[^\s"'\\/@]+@/g, "//[user]@"],
  [/[\w.!#$%&*+=?^`{|}~-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,}/gi, "[email]"],
];

export function withoutSecrets(line: string): string {
  let redacted = line;
  for (const [secret, replacement] of SECRETS) redacted = redacted.replace(secret, replacement);
  return redacted;
}
