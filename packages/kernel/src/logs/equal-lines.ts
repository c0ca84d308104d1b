/** Equal lines that are written in one period; what is beyond is counted. */
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
