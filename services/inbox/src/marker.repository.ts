import type { InboxMarker } from "@fanfare/contract";
import { duplicateKeyIndex } from "@fanfare/kernel";
import { Schema, type Connection, type Model, Types } from "mongoose";

/** What a user has read of the inbox, and put away. */
interface MarkerDocument {
  /** The user's. */
  _id: Types.ObjectId;
  readUpToId?: Types.ObjectId;
  clearedUpToId?: Types.ObjectId;
}

const schema = new Schema<MarkerDocument>(
  {
    _id: Schema.Types.ObjectId,
    readUpToId: Schema.Types.ObjectId,
    clearedUpToId: Schema.Types.ObjectId,
  },
  { collection: "inboxMarkers", versionKey: false },
);

function markerModel(connection: Connection): Model<MarkerDocument> {
  return connection.model<MarkerDocument>("InboxMarker", schema);
}

export type MarkerRepository = ReturnType<typeof createMarkerRepository>;

/** Every query of the collection inboxMarkers: all are by `_id`, the user's. */
export function createMarkerRepository(connection: Connection) {
  const markers = markerModel(connection);
  return {
    find: async (userId: string): Promise<InboxMarker> => present(await markers.findById(userId).lean()),

    /** Moves markers forward, never back. @returns how they were before */
    async advance(
      userId: string,
      names: readonly (keyof InboxMarker)[],
      messageId: string,
    ): Promise<InboxMarker> {
      const upTo = Object.fromEntries(names.map((name) => [name, new Types.ObjectId(messageId)]));
      const move = () =>
        markers
          .findOneAndUpdate({ _id: userId }, { $max: upTo }, { upsert: true, returnDocument: "before" })
          .lean();
      // Two upserts at once: the second finds what the first has made.
      const before = await move().catch((error: unknown) => {
        if (duplicateKeyIndex(error) !== null) return move();
        throw error;
      });
      return present(before);
    },

    async remove(userId: string): Promise<void> {
      await markers.deleteOne({ _id: userId });
    },
  };
}

function present(marker: MarkerDocument | null): InboxMarker {
  return {
    readUpToId: marker?.readUpToId?.toHexString() ?? null,
    clearedUpToId: marker?.clearedUpToId?.toHexString() ?? null,
  };
}
