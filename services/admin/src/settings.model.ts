import type { InstancePolicy } from "@fanfare/contract";
import { Schema, type Connection, type Model } from "mongoose";
import { DURABLE } from "./audit.model.ts";

/** What holds for the whole instance; absent as long as nobody has set it. */
export interface MaintenanceDocument {
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
export interface PolicyDocument {
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

export function policyModel(connection: Connection): Model<PolicyDocument> {
  return connection.model<PolicyDocument>("InstancePolicy", policySchema);
}

export function settingsModel(connection: Connection): Model<MaintenanceDocument> {
  return connection.model<MaintenanceDocument>("InstanceSettings", schema);
}
