import { PERMISSIONS } from "@fanfare/contract";
import { DURABLE } from "../../repository.ts";
import type { Migration } from "../migration.ts";

const { sendMessages, changeNickname, manageGroup, manageNicknames } = PERMISSIONS;

/** Members who can write can choose their nickname in the group; roles that can manage the group can change those of others. */
export const nicknamePermissions: Migration = {
  name: "0010-nickname-permissions",
  async run({ db }) {
    for (const [collection, field, has, gets] of [
      ["groups", "defaultPermissions", sendMessages, changeNickname],
      ["groups", "defaultPermissions", manageGroup, manageNicknames],
      ["roles", "permissions", manageGroup, manageNicknames],
    ] as const)
      await db
        .collection(collection)
        .updateMany(
          { [field]: { $bitsAllSet: has, $bitsAllClear: gets } },
          { $bit: { [field]: { or: gets } } },
          { writeConcern: DURABLE },
        );
  },
};
