import { randomBytes } from "node:crypto";
import { mongo } from "mongoose";

const TIME_BYTES = 4;
const PROCESS_BYTES = 5;

/** The common part of the ids of one import, in hexadecimal digits. */
export function newSalt(): string {
  return randomBytes(PROCESS_BYTES).toString("hex");
}

/**
 * Gives every id of a file another one, always the same: the five bytes that tell processes apart are changed by those of this
 * import. So ids keep the order of time, two never become one, no table of them is needed, and no file can be
 * written whose ids become existing ids.
 */
export function createNewIds(salt: string): (id: string) => mongo.ObjectId {
  const salting = Buffer.from(salt, "hex");
  return (id) => {
    const bytes = Buffer.from(id, "hex");
    for (let i = 0; i < PROCESS_BYTES; i++) bytes[TIME_BYTES + i]! ^= salting[i]!;
    return new mongo.ObjectId(bytes);
  };
}
