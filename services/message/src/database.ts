import { within } from "@fanfare/kernel";
import type { Types } from "mongoose";
import { READ_TIMEOUT_MS } from "./constants.ts";

/** Reads only documents that can't be rolled back. */
export const DURABLE_WRITE = "majority";

/** The id of a document as a string. */
export function documentId({ _id }: { _id: Types.ObjectId }): string {
  return _id.toHexString();
}

/** A batch size that fits all documents and detects the end. By default the driver fetches 101 documents, then the rest. */
export function oneBatch(ids: readonly unknown[]): number {
  return ids.length + 1;
}

/**
 * Limits how long to wait for a query: the driver has no overall timeout, so a frozen database would block callers indefinitely.
 * @throws {ServiceError} UNAVAILABLE
 */
export const inTime = <T>(query: PromiseLike<T>): Promise<T> => within(READ_TIMEOUT_MS, query);

/** A common timeout for several steps: each gets the remaining time. */
export function deadline(timeoutMs: number): <T>(step: (restMs: number) => Promise<T>) => Promise<T> {
  const endMs = performance.now() + timeoutMs;
  return (step) => {
    const restMs = Math.max(1, Math.ceil(endMs - performance.now()));
    return within(restMs, step(restMs));
  };
}
