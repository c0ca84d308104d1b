import type { Maintenance } from "@fanfare/contract";
import type { Connection } from "mongoose";
import { settingsModel } from "./settings.model.ts";

export type SettingsRepository = ReturnType<typeof createSettingsRepository>;

/** Every query of the collection instanceSettings. */
export function createSettingsRepository(connection: Connection) {
  const settings = settingsModel(connection);
  const _id = "maintenance" as const;
  return {
    async readMaintenance(): Promise<Maintenance> {
      const found = await settings.findById(_id).lean();
      return found === null
        ? { enabled: false, message: "" }
        : { enabled: found.enabled, message: found.message };
    },

    async writeMaintenance({ enabled, message }: Maintenance): Promise<void> {
      await settings.updateOne({ _id }, { $set: { enabled, message } }, { upsert: true });
    },
  };
}
