import { CHUNK_CHARS, EXPORT_FLUSH_MS } from "./constants.ts";

/**
 * Joins lines to chunks. The first line is sent at once, and what is there is not kept waiting for rare lines, so that connections
 * aren't closed as idle.
 */
export async function* chunked(
  lines: AsyncIterable<string>,
  flushMs = EXPORT_FLUSH_MS,
): AsyncGenerator<string> {
  const iterator = lines[Symbol.asyncIterator]();
  let chunk = "";
  try {
    for (let isFirst = true; ; isFirst = false) {
      const next = iterator.next();
      if (chunk !== "" && (await isSlow(next, flushMs))) {
        yield chunk;
        chunk = "";
      }
      const { value, done } = await next;
      if (done === true) break;
      chunk += value;
      if (!isFirst && chunk.length < CHUNK_CHARS) continue;
      yield chunk;
      chunk = "";
    }
  } finally {
    await iterator.return?.();
  }
  yield chunk;
}

async function isSlow(work: Promise<unknown>, afterMs: number): Promise<boolean> {
  const timer = Promise.withResolvers<true>();
  const timeout = setTimeout(() => timer.resolve(true), afterMs);
  try {
    return await Promise.race([work.then(() => false), timer.promise]);
  } finally {
    clearTimeout(timeout);
  }
}
