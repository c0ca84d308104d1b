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

/** A result that is read lazily, one document ahead. */
class OpenCursor {
  readonly namespace: string;
  readonly #results: Iterator<PackedDocument>;
  #ahead: IteratorResult<PackedDocument> | undefined;
  usedAt = Date.now();

  constructor(namespace: string, results: Iterable<PackedDocument>) {
    this.namespace = namespace;
    this.#results = results[Symbol.iterator]();
  }

  /** Whether all documents have been returned. */
  get isDone(): boolean {
    this.#ahead ??= this.#results.next();
    return this.#ahead.done === true;
  }

  take(size: number): PackedDocument[] {
    this.usedAt = Date.now();
    const batch: PackedDocument[] = [];
    let bytes = 0;
    while (batch.length < size && !this.isDone) {
      const document = this.#ahead!.value as PackedDocument;
      bytes += document.length;
      if (bytes > MAX_BATCH_BYTES && batch.length > 0) break;
      batch.push(document);
      this.#ahead = undefined;
    }
    return batch;
  }

  close(): void {
    this.#results.return?.();
  }
}

/** Open cursors. Documents are read when a page is fetched. */
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
    results: Iterable<PackedDocument>,
    batchSize: number | undefined,
    single = false,
  ): CursorBatch {
    const cursor = new OpenCursor(namespace, results);
    const first = cursor.take(batchSize ?? DEFAULT_FIRST_BATCH);
    if (single || cursor.isDone) {
      cursor.close();
      return new CursorBatch(0, namespace, "firstBatch", first);
    }
    if (this.#cursors.size >= MAX_CURSORS) this.expire(Date.now());
    if (this.#cursors.size >= MAX_CURSORS) {
      cursor.close();
      throw new CommandError(
        "InternalError",
        `More than ${MAX_CURSORS} cursors are open: read them to the end or close them`,
      );
    }
    const id = this.#nextId++;
    this.#cursors.set(id, cursor);
    return new CursorBatch(id, namespace, "firstBatch", first);
  }

  /** @throws CommandError CursorNotFound */
  next(id: number, batchSize: number | undefined): CursorBatch {
    const cursor = this.#cursors.get(id);
    if (!cursor) throw new CommandError("CursorNotFound", `cursor id ${id} not found`);
    try {
      const documents = cursor.take(batchSize || Number.POSITIVE_INFINITY);
      const { isDone } = cursor;
      if (isDone) this.#cursors.delete(id);
      return new CursorBatch(isDone ? 0 : id, cursor.namespace, "nextBatch", documents);
    } catch (error) {
      this.kill(id);
      throw error;
    }
  }

  kill(id: number): boolean {
    this.#cursors.get(id)?.close();
    return this.#cursors.delete(id);
  }

  /** Closes cursors that have been idle longer than the timeout. */
  expire(now: number): void {
    for (const [id, cursor] of this.#cursors) if (now - cursor.usedAt > this.#timeoutMs) this.kill(id);
  }

  closeAll(): void {
    for (const id of this.#cursors.keys()) this.kill(id);
  }
}
