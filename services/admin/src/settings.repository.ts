import type { InstancePolicy, Maintenance, StoredPolicy } from "@fanfare/contract";
import type { Connection } from "mongoose";
import { policyModel, settingsModel } from "./settings.model.ts";

export type SettingsRepository = ReturnType<typeof createSettingsRepository>;

/** Every query of the collection instanceSettings. */
export function createSettingsRepository(connection: Connection) {
  const settings = settingsModel(connection);
  const policies = policyModel(connection);
  const _id = "maintenance" as const;
  return {
    async readMaintenance(): Promise<Maintenance> {
      const found = await settings.findById(_id).lean();
      return found === null
        ? { enabled: false, message: "" }
        : { enabled: found.enabled, message: found.message };
    },

    async readPolicy(): Promise<StoredPolicy> {
      const found = await policies.findById("policy").lean();
      return found === null
        ? { revision: 0, values: {} }
        : { revision: found.revision, values: found.values ?? {} };
    },

    /** Two changes at once leave both, with different revisions. */
    async writePolicy(changes: Partial<InstancePolicy>): Promise<StoredPolicy> {
      const set = Object.fromEntries(
        Object.entries(changes).map(([name, value]) => [`values.${name}`, value]),
      );
      const stored = await policies
        .findByIdAndUpdate(
          "policy",
          { $set: set, $inc: { revision: 1 } },
          { upsert: true, returnDocument: "after" },
        )
        .lean();
      return { revision: stored.revision, values: stored.values };
    },

    async writeMaintenance({ enabled, message }: Maintenance): Promise<void> {
      await settings.updateOne({ _id }, { $set: { enabled, message } }, { upsert: true });
    },
  };
}
