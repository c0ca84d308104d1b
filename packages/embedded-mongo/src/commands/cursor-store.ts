import { PAUSE, type Pausing, type Task } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import type { Transaction } from "../storage/transactions.ts";
import type { PackedDocument } from "../values/codec.ts";

/** Limit of the documents in one reply, in bytes; a reply can exceed it with a single larger document. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
export const DEFAULT_FIRST_BATCH = 101;
const MAX_CURSORS = 10_000;

/** A page of a result; `id` is 0 on the last page. */
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
  readonly transaction: Transaction | undefined;
  readonly #results: Iterator<PackedDocument | typeof PAUSE>;
  #ahead: IteratorResult<PackedDocument | typeof PAUSE> | undefined;
  #isClosed = false;
  /** Whether a command, possibly a paused one, is reading it. */
  isInUse = false;
  usedAt = Date.now();

  constructor(namespace: string, results: Pausing<PackedDocument>, transaction: Transaction | undefined) {
    this.namespace = namespace;
    this.transaction = transaction;
    this.#results = results[Symbol.iterator]();
  }

  /**
   * Returns the next documents, and whether they are the last ones.
   * @throws CommandError CursorKilled if the cursor is closed during a pause
   */
  *take(size: number): Task<{ documents: PackedDocument[]; isDone: boolean }> {
    this.isInUse = true;
    const documents: PackedDocument[] = [];
    let bytes = 0;
    try {
      for (;;) {
        this.#ahead ??= this.#results.next();
        if (this.#ahead.done) return { documents, isDone: true };
        const document = this.#ahead.value;
        if (document === PAUSE) {
          this.#ahead = undefined;
          yield PAUSE;
          if (this.#isClosed) throw new CommandError("CursorKilled", "the cursor was killed");
          continue;
        }
        bytes += document.length;
        if (documents.length >= size || (bytes > MAX_BATCH_BYTES && documents.length > 0))
          return { documents, isDone: false };
        documents.push(document);
        this.#ahead = undefined;
      }
    } finally {
      this.isInUse = false;
      this.usedAt = Date.now();
    }
  }

  close(): void {
    this.#isClosed = true;
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

  /** @param batchSize default: that of the first batch */
  *open(
    namespace: string,
    results: Pausing<PackedDocument>,
    batchSize: number | undefined,
    single = false,
    transaction?: Transaction,
  ): Task<CursorBatch> {
    const cursor = new OpenCursor(namespace, results, transaction);
    let isKept = false;
    try {
      const { documents, isDone } = yield* cursor.take(batchSize ?? DEFAULT_FIRST_BATCH);
      if (single || isDone) return new CursorBatch(0, namespace, "firstBatch", documents);
      if (this.#cursors.size >= MAX_CURSORS) this.expire(Date.now());
      if (this.#cursors.size >= MAX_CURSORS) {
        throw new CommandError(
          "InternalError",
          `More than ${MAX_CURSORS} cursors are open: read them to the end or close them`,
        );
      }
      const id = this.#nextId++;
      this.#cursors.set(id, cursor);
      isKept = true;
      return new CursorBatch(id, namespace, "firstBatch", documents);
    } finally {
      if (!isKept) cursor.close();
    }
  }

  /** @throws CommandError CursorNotFound, CursorInUse, Location50740, Location50741 */
  *next(id: number, batchSize: number | undefined, transaction?: Transaction): Task<CursorBatch> {
    const cursor = this.#cursors.get(id);
    if (!cursor) throw new CommandError("CursorNotFound", `cursor id ${id} not found`);
    if (cursor.transaction !== transaction)
      throw new CommandError(
        transaction ? "Location50740" : "Location50741",
        `Cannot run getMore on cursor ${id}, which was ${cursor.transaction ? "" : "not "}created in ${cursor.transaction && transaction ? "this" : "a"} transaction`,
      );
    if (cursor.isInUse) throw new CommandError("CursorInUse", `cursor id ${id} is already in use`);
    let isKept = false;
    try {
      const { documents, isDone } = yield* cursor.take(batchSize || Number.POSITIVE_INFINITY);
      isKept = !isDone;
      return new CursorBatch(isDone ? 0 : id, cursor.namespace, "nextBatch", documents);
    } finally {
      if (!isKept) this.kill(id);
    }
  }

  kill(id: number): boolean {
    this.#cursors.get(id)?.close();
    return this.#cursors.delete(id);
  }

  killOf(transaction: Transaction): void {
    for (const [id, cursor] of this.#cursors) if (cursor.transaction === transaction) this.kill(id);
  }

  /** Closes cursors that have been idle longer than the timeout. */
  expire(now: number): void {
    for (const [id, cursor] of this.#cursors)
      if (!cursor.isInUse && now - cursor.usedAt > this.#timeoutMs) this.kill(id);
  }

  closeAll(): void {
    for (const id of this.#cursors.keys()) this.kill(id);
  }
}
