import type { Branding, InstancePolicy, Maintenance, StoredPolicy } from "@fanfare/contract";
import { defineRepository } from "@fanfare/kernel";
import { Schema } from "mongoose";

interface MaintenanceDocument {
  _id: "maintenance";
  enabled: boolean;
  message: string;
}

const maintenanceSchema = new Schema<MaintenanceDocument>(
  {
    _id: { type: String, required: true },
    enabled: { type: Boolean, required: true },
    message: { type: String, default: "" },
  },
  { collection: "instanceSettings" },
);

/** Values of the instance policy that were set by admins. */
interface PolicyDocument {
  _id: "policy";
  revision: number;
  values?: Partial<InstancePolicy>;
  branding?: Partial<Branding>;
}

const policySchema = new Schema<PolicyDocument>(
  {
    _id: { type: String, required: true },
    revision: { type: Number, required: true },
    values: { type: Schema.Types.Mixed, default: {} },
    branding: Schema.Types.Mixed,
  },
  { collection: "instanceSettings", minimize: false },
);

/** Stores the maintenance mode, in the collection instanceSettings. */
export const createMaintenanceRepository = defineRepository(
  { name: "InstanceSettings", schema: maintenanceSchema },
  ({ model: settings }) => {
    const _id = "maintenance" as const;
    return {
      async read(): Promise<Maintenance> {
        const found = await settings.findById(_id).lean();
        return found === null
          ? { enabled: false, message: "" }
          : { enabled: found.enabled, message: found.message };
      },

      async write({ enabled, message }: Maintenance): Promise<void> {
        await settings.updateOne({ _id }, { $set: { enabled, message } }, { upsert: true });
      },
    };
  },
);

/** Stores the instance policy and branding, in the collection instanceSettings. */
export const createPolicyRepository = defineRepository(
  { name: "InstancePolicy", schema: policySchema },
  ({ model: policies }) => ({
    async read(): Promise<StoredPolicy> {
      const found = await policies.findById("policy").lean();
      return found === null ? { revision: 0, values: {} } : present(found);
    },

    /** Concurrent changes are merged, with different revisions. */
    async write(changes: Partial<Pick<PolicyDocument, "values" | "branding">>): Promise<StoredPolicy> {
      const set = Object.fromEntries(
        Object.entries(changes).flatMap(([part, values]) =>
          Object.entries(values).map(([name, value]) => [`${part}.${name}`, value]),
        ),
      );
      const stored = await policies
        .findByIdAndUpdate(
          "policy",
          { $set: set, $inc: { revision: 1 } },
          { upsert: true, returnDocument: "after" },
        )
        .lean();
      return present(stored);
    },
  }),
);

function present({ revision, values = {}, branding = {} }: PolicyDocument): StoredPolicy {
  return { revision, values, branding };
}
