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

export function settingsModel(connection: Connection): Model<MaintenanceDocument> {
  return connection.model<MaintenanceDocument>("InstanceSettings", schema);
}
