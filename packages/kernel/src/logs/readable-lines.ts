import type { DestinationStream } from "pino";

interface Line {
  time: string;
  level: string;
  msg?: string;
  err?: { type: string; message: string; stack?: string; cause?: Line["err"] };
  [field: string]: unknown;
}

/** The same in every line of a process, and so of no interest on a screen. */
const LEFT_OUT = new Set(["time", "level", "msg", "err", "pid", "node"]);

/**
 * Writes each line of JSON as one that a person reads: time, level, what happened, and the fields after it; below it the error. Not
 * pino-pretty, which would bring twelve packages into the image for what only a terminal shows.
 */
export function readableLines(stream: DestinationStream): DestinationStream {
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
