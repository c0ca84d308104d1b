import { getHeapStatistics } from "node:v8";
import { PAUSE, type Pausing, type Task } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { isObject } from "../values/types.ts";

/** The share of the heap limit that the documents of one pipeline can use. */
const HEAP_SHARE = 0.2;

/** Estimated memory of an object or array, of a field, and of a boxed number, date or id. */
const OBJECT_BYTES = 64;
const FIELD_BYTES = 32;
const BOXED_BYTES = 120;

/** Limits the memory of the documents that a pipeline holds, such as in sorts and groups. Streamed documents don't count. */
export class PipelineMemory {
  #left = getHeapStatistics().heap_size_limit * HEAP_SHARE;

  /**
   * @returns the bytes for `release`
   * @throws CommandError QueryExceededMemoryLimitNoDiskUseAllowed, before the process runs out of memory
   */
  keep(value: unknown): number {
    const bytes = bytesOf(value);
    this.#left -= bytes;
    if (this.#left < 0) {
      throw new CommandError(
        "QueryExceededMemoryLimitNoDiskUseAllowed",
        "The pipeline holds more documents than the embedded database has memory for: start it with a narrower $match",
      );
    }
    return bytes;
  }

  /** Collects all items. */
  *collect<T>(items: Pausing<T>): Task<T[]> {
    const kept: T[] = [];
    for (const item of items) {
      if (item === PAUSE) yield PAUSE;
      else {
        this.keep(item);
        kept.push(item);
      }
    }
    return kept;
  }

  release(bytes: number): void {
    this.#left += bytes;
  }
}

function bytesOf(value: unknown): number {
  if (typeof value === "string") return FIELD_BYTES + value.length;
  if (typeof value !== "object" || value === null) return FIELD_BYTES;
  let bytes = OBJECT_BYTES;
  if (Array.isArray(value)) for (const element of value) bytes += bytesOf(element);
  else if (isObject(value)) for (const key of Object.keys(value)) bytes += bytesOf(value[key]);
  else bytes += BOXED_BYTES + ("length" in value && typeof value.length === "number" ? value.length : 0);
  return bytes;
}
