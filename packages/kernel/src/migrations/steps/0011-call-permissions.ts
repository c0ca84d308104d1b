import { CALL_PERMISSIONS } from "@fanfare/contract";
import { DURABLE } from "../../repository.ts";
import type { Migration } from "../migration.ts";

/** All members can take part in calls, as in new groups. Groups that never changed their default role have no stored permissions. */
export const callPermissions: Migration = {
  name: "0011-call-permissions",
  async run({ db }) {
    await db
      .collection("groups")
      .updateMany(
        { defaultPermissions: { $bitsAllClear: CALL_PERMISSIONS } },
        { $bit: { defaultPermissions: { or: CALL_PERMISSIONS } } },
        { writeConcern: DURABLE },
      );
  },
};
