import type { InboxMarker } from "@fanfare/contract";
import { defineRepository, ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** How far a user has read and cleared the inbox. */
interface MarkerDocument {
  /** The user id. */
  _id: string;
  readUpToId?: string;
  clearedUpToId?: string;
}

const schema = new Schema<MarkerDocument>(
  { _id: ID, readUpToId: ID, clearedUpToId: ID },
  { collection: "inboxMarkers" },
);

export type MarkerRepository = ReturnType<typeof createMarkerRepository>;

/** Queries of the collection inboxMarkers, all by user id. */
export const createMarkerRepository = defineRepository(
  { name: "InboxMarker", schema, durable: false },
  ({ model: markers, remove }) => ({
    find: async (userId: string): Promise<InboxMarker> => present(await markers.findById(userId).lean()),

    /** Moves markers forward, never back. @returns the previous markers */
    async advance(
      userId: string,
      names: readonly (keyof InboxMarker)[],
      messageId: string,
    ): Promise<InboxMarker> {
      const upTo = Object.fromEntries(names.map((name) => [name, messageId]));
      const options = { upsert: true, returnDocument: "before" } as const;
      return present(await markers.findOneAndUpdate({ _id: userId }, { $max: upTo }, options).lean());
    },

    remove: (userId: string) => remove({ _id: userId }),
  }),
);

function present(marker: MarkerDocument | null): InboxMarker {
  return {
    readUpToId: marker?.readUpToId ?? null,
    clearedUpToId: marker?.clearedUpToId ?? null,
  };
}
