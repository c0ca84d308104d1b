export function newRunId(): string {
  return Math.floor(Math.random() * 2 ** 32).toString(36);
}

/**
 * The content of a measured message names its run and its number, so that a receiver knows exactly which
 * message it has. Text of other people in the same channel is never taken for one.
 */
export function taggedContent(runId: string, index: number, bytes: number): string {
  return `bench ${runId} ${index} `.padEnd(bytes, "x");
}

/** The number of the message in the run, or -1 when the content is not of this run. */
export function taggedIndex(runId: string, content: unknown): number {
  if (typeof content !== "string") return -1;
  const [word, run, index] = content.split(" ", 3);
  if (word !== "bench" || run !== runId || !/^\d{1,7}$/.test(index ?? "")) return -1;
  return Number(index);
}

/** The shortest payload that can hold a tag. */
export const MIN_PAYLOAD_BYTES = 32;
