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

/** Where libraries quote what they were given. */
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
