import { CommandError } from "../errors.ts";
import type { PackedDocument } from "../values/codec.ts";

/** Bytes of documents in one reply; one reply may hold one larger document. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
const DEFAULT_FIRST_BATCH = 101;
const MAX_CURSORS = 10_000;

/** A page of a result; `id` is 0 on the last one. */
export class CursorBatch {
  readonly id: number;
  readonly namespace: string;
  readonly field: "firstBatch" | "nextBatch";
  readonly documents: readonly PackedDocument[];

  constructor(
    id: number,
    namespace: string,
    field: "firstBatch" | "nextBatch",
    documents: readonly PackedDocument[],
  ) {
    this.id = id;
    this.namespace = namespace;
    this.field = field;
    this.documents = documents;
  }
}

/** The documents of a result: an array, or something that makes each when it is fetched. */
export interface Results {
  readonly length: number;
  at(index: number): PackedDocument | undefined;
}

interface OpenCursor {
  readonly namespace: string;
  readonly results: Results;
  at: number;
  usedAt: number;
}

function takeBatch(results: Results, start: number, size: number): PackedDocument[] {
  const batch: PackedDocument[] = [];
  let bytes = 0;
  while (batch.length < size && start + batch.length < results.length) {
    const document = results.at(start + batch.length)!;
    bytes += document.length;
    if (bytes > MAX_BATCH_BYTES && batch.length > 0) break;
    batch.push(document);
  }
  return batch;
}

/** Results that are fetched in pages. A cursor sees the documents as they were when it was opened. */
export class CursorStore {
  readonly #cursors = new Map<number, OpenCursor>();
  readonly #timeoutMs: number;
  #nextId = 1;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  get size(): number {
    return this.#cursors.size;
  }

  /** @param batchSize undefined for the default of the first batch */
  open(namespace: string, results: Results, batchSize: number | undefined, single = false): CursorBatch {
    const first = takeBatch(results, 0, batchSize ?? DEFAULT_FIRST_BATCH);
    if (first.length === results.length || single) return new CursorBatch(0, namespace, "firstBatch", first);
    if (this.#cursors.size >= MAX_CURSORS) this.expire(Date.now());
    if (this.#cursors.size >= MAX_CURSORS) {
      throw new CommandError(
        "InternalError",
        `More than ${MAX_CURSORS} cursors are open: read them to the end or close them`,
      );
    }
    const id = this.#nextId++;
    this.#cursors.set(id, { namespace, results, at: first.length, usedAt: Date.now() });
    return new CursorBatch(id, namespace, "firstBatch", first);
  }

  /** @throws CommandError CursorNotFound */
  next(id: number, batchSize: number | undefined): CursorBatch {
    const cursor = this.#cursors.get(id);
    if (!cursor) throw new CommandError("CursorNotFound", `cursor id ${id} not found`);
    const documents = takeBatch(cursor.results, cursor.at, batchSize || Number.POSITIVE_INFINITY);
    cursor.at += documents.length;
    cursor.usedAt = Date.now();
    const done = cursor.at === cursor.results.length;
    if (done) this.#cursors.delete(id);
    return new CursorBatch(done ? 0 : id, cursor.namespace, "nextBatch", documents);
  }

  kill(id: number): boolean {
    return this.#cursors.delete(id);
  }

  /** Forgets cursors that nobody has read for the timeout. */
  expire(now: number): void {
    for (const [id, cursor] of this.#cursors)
      if (now - cursor.usedAt > this.#timeoutMs) this.#cursors.delete(id);
  }
}
