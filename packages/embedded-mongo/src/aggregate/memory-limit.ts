import { getHeapStatistics } from "node:v8";
import { CommandError } from "../errors.ts";
import type { StoredRecord } from "../storage/database.ts";
import { decodeExact, unpack } from "../values/codec.ts";
import { toComputed } from "../values/plain.ts";
import type { PlainObject } from "../values/types.ts";

/** Share of the heap limit that the decoded documents of one pipeline may take. The documents themselves have half. */
const HEAP_SHARE = 0.2;

/** A decoded document takes about 6 times its BSON, and an object more. */
const DECODED_FACTOR = 6;
const DECODED_OVERHEAD_BYTES = 300;

/** Decodes the documents of one pipeline, as long as they fit. */
export class PipelineMemory {
  #left = getHeapStatistics().heap_size_limit * HEAP_SHARE;

  /** @throws CommandError QueryExceededMemoryLimitNoDiskUseAllowed, before the process runs out of memory */
  decode(records: Iterable<StoredRecord>): PlainObject[] {
    const documents: PlainObject[] = [];
    for (const { data } of records) {
      this.#left -= data.length * DECODED_FACTOR + DECODED_OVERHEAD_BYTES;
      if (this.#left < 0) {
        throw new CommandError(
          "QueryExceededMemoryLimitNoDiskUseAllowed",
          "The pipeline needs more documents at once than the embedded database has memory for: begin it with a narrower $match",
        );
      }
      documents.push(toComputed(decodeExact(unpack(data))) as PlainObject);
    }
    return documents;
  }
}
