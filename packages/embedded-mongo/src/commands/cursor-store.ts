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

interface OpenCursor {
  readonly namespace: string;
  readonly documents: readonly PackedDocument[];
  at: number;
  usedAt: number;
}

function batchEnd(documents: readonly PackedDocument[], start: number, size: number): number {
  let bytes = 0;
  let end = start;
  while (end < documents.length && end - start < size) {
    bytes += documents[end]!.length;
    if (bytes > MAX_BATCH_BYTES && end > start) break;
    end++;
  }
  return end;
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
  open(
    namespace: string,
    documents: readonly PackedDocument[],
    batchSize: number | undefined,
    single = false,
  ): CursorBatch {
    const end = batchEnd(documents, 0, batchSize ?? DEFAULT_FIRST_BATCH);
    const first = end === documents.length ? documents : documents.slice(0, end);
    if (end === documents.length || single) return new CursorBatch(0, namespace, "firstBatch", first);
    if (this.#cursors.size >= MAX_CURSORS) this.expire(Date.now());
    if (this.#cursors.size >= MAX_CURSORS) {
      throw new CommandError(
        "InternalError",
        `More than ${MAX_CURSORS} cursors are open: read them to the end or close them`,
      );
    }
    const id = this.#nextId++;
    this.#cursors.set(id, { namespace, documents, at: end, usedAt: Date.now() });
    return new CursorBatch(id, namespace, "firstBatch", first);
  }

  /** @throws CommandError CursorNotFound */
  next(id: number, batchSize: number | undefined): CursorBatch {
    const cursor = this.#cursors.get(id);
    if (!cursor) throw new CommandError("CursorNotFound", `cursor id ${id} not found`);
    const end = batchEnd(cursor.documents, cursor.at, batchSize || Number.POSITIVE_INFINITY);
    const documents = cursor.documents.slice(cursor.at, end);
    cursor.at = end;
    cursor.usedAt = Date.now();
    const done = end === cursor.documents.length;
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
