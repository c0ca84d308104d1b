import { PERMISSIONS } from "@fanfare/contract";
import { DURABLE } from "../../repository.ts";
import type { Migration } from "../migration.ts";

const { manageGroup, manageEmoji } = PERMISSIONS;

/** Roles that can manage the group can also manage its emoji. */
export const emojiPermission: Migration = {
  name: "0009-emoji-permission",
  async run({ db }) {
    for (const [collection, field] of [
      ["roles", "permissions"],
      ["groups", "defaultPermissions"],
    ] as const)
      await db
        .collection(collection)
        .updateMany(
          { [field]: { $bitsAllSet: manageGroup, $bitsAllClear: manageEmoji } },
          { $bit: { [field]: { or: manageEmoji } } },
          { writeConcern: DURABLE },
        );
  },
};
