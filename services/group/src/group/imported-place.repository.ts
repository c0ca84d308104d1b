import { defineRepository, ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** What the package chat-import remembers about a group, for later exports. */
interface ImportedPlaceDocument {
  _id: string;
  groupId?: string;
}

const schema = new Schema<ImportedPlaceDocument>(
  { _id: ID, groupId: ID },
  { collection: "importedPlaces" },
).index({ groupId: 1 });

/** Queries of the collection importedPlaces. */
export const createImportedPlaceRepository = defineRepository(
  { name: "ImportedPlace", schema },
  ({ removeSome }) => ({
    /** @returns how many were removed; fewer than `limit` if none are left */
    removeSome: (groupId: string, limit: number) => removeSome({ groupId }, limit),
  }),
);
