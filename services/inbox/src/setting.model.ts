import type { NotificationSetting } from "@fanfare/contract";
import { Schema, type Connection, type Model, type Types } from "mongoose";

/** When a user wants to be notified of something in a place; what is as it is without a setting is absent. */
export interface SettingDocument {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  /** Of the group or channel. */
  placeId: Types.ObjectId;
  kind: "group" | "channel";
  level?: NonNullable<NotificationSetting["level"]>;
  mutedUntil?: Date;
  suppressEveryone?: true;
}

const schema = new Schema<SettingDocument>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    placeId: { type: Schema.Types.ObjectId, required: true },
    kind: { type: String, enum: ["group", "channel"], required: true },
    level: String,
    mutedUntil: Date,
    suppressEveryone: Boolean,
  },
  { collection: "notificationSettings", versionKey: false },
)
  .index({ userId: 1, placeId: 1 }, { unique: true, name: "user_place" })
  .index({ placeId: 1, level: 1 }, { name: "place_level" });

export function settingModel(connection: Connection): Model<SettingDocument> {
  return connection.model<SettingDocument>("NotificationSetting", schema);
}
