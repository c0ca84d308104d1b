/** Instead of the index of a message: the text is of another run, or of a user. */
const FOREIGN = -1;
/** Instead of the index of a message: the text names this run, but isn't what was sent. */
export const CORRUPTED = -2;

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

export function newRunId(): string {
  return Math.floor(Math.random() * 2 ** 32).toString(36);
}

/**
 * The content of a measured message names its run, its index and its length, so that receivers recognize each message and
 * every change of its text. Other messages in the same channel are never mistaken for one.
 */
export function taggedContent(runId: string, index: number, bytes: number): string {
  const tag = `bench ${runId} ${index} ${bytes} `;
  return tag.padEnd(bytes, LETTERS.slice(index % LETTERS.length) + LETTERS);
}

/** The index of the message in the run, FOREIGN or CORRUPTED. */
export function taggedIndex(runId: string, content: unknown): number {
  if (typeof content !== "string" || !content.includes(runId)) return FOREIGN;
  const [, , index = "", bytes = ""] = content.split(" ", 4);
  if (!/^\d{1,7}$/.test(index) || !/^\d{1,5}$/.test(bytes)) return CORRUPTED;
  return content === taggedContent(runId, Number(index), Number(bytes)) ? Number(index) : CORRUPTED;
}

/** The shortest payload that fits a tag. */
export const MIN_PAYLOAD_BYTES = 32;
