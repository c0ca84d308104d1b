import type { Types } from "mongoose";

/** The id of a document as everything outside the database knows it. */
export function documentId({ _id }: { _id: Types.ObjectId }): string {
  return _id.toHexString();
}
