import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./durable.ts";

export interface RoleDocument {
  _id: Types.ObjectId;
  groupId: Types.ObjectId;
  name: string;
  color: number | null;
  permissions: number;
  /** The higher one stands above; of equal ones the one with the greater id. */
  position: number;
  mentionable: boolean;
  createdAt: Date;
  /** Set when the role is deleted and still to be taken from members; nobody sees it any more, and it gives nothing. */
  deletedAt?: Date;
}

const roleSchema = new Schema<RoleDocument>(
  {
    groupId: { type: Schema.Types.ObjectId, required: true },
    name: { type: String, required: true },
    color: { type: Number, default: null },
    permissions: { type: Number, required: true },
    position: { type: Number, required: true },
    mentionable: { type: Boolean, required: true },
    createdAt: { type: Date, required: true },
    deletedAt: Date,
  },
  { collection: "roles", writeConcern: DURABLE, versionKey: false },
);
roleSchema.index({ groupId: 1, position: 1, _id: 1 });
roleSchema.index({ deletedAt: 1 }, { sparse: true });

export function roleModel(connection: Connection): Model<RoleDocument> {
  return connection.model<RoleDocument>("Role", roleSchema);
}
