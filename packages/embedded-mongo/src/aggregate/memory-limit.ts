import { getHeapStatistics } from "node:v8";
import { PAUSE, type Pausing, type Task } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { isObject } from "../values/types.ts";

/** Share of the heap limit that the documents held by one pipeline may take. */
const HEAP_SHARE = 0.2;

/** Estimated memory of an object or an array, of a field, and of a number, date or id in an object of its own. */
const OBJECT_BYTES = 64;
const FIELD_BYTES = 32;
const BOXED_BYTES = 120;

/** What one pipeline holds at once, in sorts, groups and the like. What only passes through doesn't count. */
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
        "The pipeline needs more documents at once than the embedded database has memory for: begin it with a narrower $match",
      );
    }
    return bytes;
  }

  /** Keeps all items. */
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
