export function newRunId(): string {
  return Math.floor(Math.random() * 2 ** 32).toString(36);
}

/**
 * The content of a measured message has its run and its index, so that a receiver can identify it. Other texts
 * in the same channel are never mistaken for one.
 */
export function taggedContent(runId: string, index: number, bytes: number): string {
  return `bench ${runId} ${index} `.padEnd(bytes, "x");
}

/** The index of the message in the run, or -1 if the content is not of this run. */
export function taggedIndex(runId: string, content: unknown): number {
  if (typeof content !== "string") return -1;
  const [word, run, index] = content.split(" ", 3);
  if (word !== "bench" || run !== runId || !/^\d{1,7}$/.test(index ?? "")) return -1;
  return Number(index);
}

/** The shortest payload that can hold a tag. */
export const MIN_PAYLOAD_BYTES = 32;
