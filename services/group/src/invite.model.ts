import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./durable.ts";

export interface InviteDocument {
  _id: Types.ObjectId;
  code: string;
  groupId: Types.ObjectId;
  createdBy: Types.ObjectId;
  uses: number;
  /** null: any number. */
  maxUses: number | null;
  /** null: never. */
  expiresAt: Date | null;
  createdAt: Date;
}

const inviteSchema = new Schema<InviteDocument>(
  {
    code: { type: String, required: true },
    groupId: { type: Schema.Types.ObjectId, required: true },
    createdBy: { type: Schema.Types.ObjectId, required: true },
    uses: { type: Number, required: true },
    maxUses: { type: Number, default: null },
    expiresAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
  },
  { collection: "invites", writeConcern: DURABLE, versionKey: false },
);
inviteSchema.index({ code: 1 }, { unique: true });
inviteSchema.index({ groupId: 1, _id: 1 });
// Cleans up only: every reader compares the time itself.
inviteSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export function inviteModel(connection: Connection): Model<InviteDocument> {
  return connection.model<InviteDocument>("Invite", inviteSchema);
}
