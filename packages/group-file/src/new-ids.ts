import { mongo } from "mongoose";
import { PROCESS_BYTES } from "./new-salt.ts";

const TIME_BYTES = 4;

/**
 * Maps the ids of a file to new ones by XORing the five process bytes with the salt. The mapping keeps the order by time, has no
 * collisions, needs no table, and can't be exploited by crafting a file whose ids map to existing ones.
 */
export function createNewIds(salt: string): (id: string) => mongo.ObjectId {
  const salting = Buffer.from(salt, "hex");
  return (id) => {
    const bytes = Buffer.from(id, "hex");
    for (let i = 0; i < PROCESS_BYTES; i++) bytes[TIME_BYTES + i]! ^= salting[i]!;
    return new mongo.ObjectId(bytes);
  };
}
