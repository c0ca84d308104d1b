import type { InstancePolicy, Maintenance, StoredPolicy } from "@fanfare/contract";
import { DURABLE } from "@fanfare/kernel";
import { Schema, type Connection, type Model } from "mongoose";

/** Settings of the whole instance. A field is absent until an admin sets it. */
interface MaintenanceDocument {
  _id: "maintenance";
  enabled: boolean;
  message: string;
}

const schema = new Schema<MaintenanceDocument>(
  {
    _id: { type: String, required: true },
    enabled: { type: Boolean, required: true },
    message: { type: String, default: "" },
  },
  { collection: "instanceSettings", writeConcern: DURABLE, versionKey: false },
);

/** The values of the instance's policy that admins have set. */
interface PolicyDocument {
  _id: "policy";
  revision: number;
  values: Partial<InstancePolicy>;
}

const policySchema = new Schema<PolicyDocument>(
  {
    _id: { type: String, required: true },
    revision: { type: Number, required: true },
    values: { type: Schema.Types.Mixed, default: {} },
  },
  { collection: "instanceSettings", writeConcern: DURABLE, versionKey: false, minimize: false },
);

function policyModel(connection: Connection): Model<PolicyDocument> {
  return connection.model<PolicyDocument>("InstancePolicy", policySchema);
}

function settingsModel(connection: Connection): Model<MaintenanceDocument> {
  return connection.model<MaintenanceDocument>("InstanceSettings", schema);
}

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
