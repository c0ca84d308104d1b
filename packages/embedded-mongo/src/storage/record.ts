import type { PackedDocument } from "../values/codec.ts";

/** One stored document. */
export interface StoredRecord {
  /** Encoded `_id`. */
  readonly id: string;
  /** Position in natural order; grows with every insert into the collection. */
  readonly order: number;
  data: PackedDocument;
}
