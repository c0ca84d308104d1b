import type { EventPayload } from "@fanfare/contract";
import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./durable.ts";

/** Somebody is being taken out of a group: kept until everybody concerned knows, so that another process can finish it. */
export interface DepartureDocument {
  _id: Types.ObjectId;
  groupId: Types.ObjectId;
  userId: Types.ObjectId;
  reason: EventPayload<"group.left">["reason"];
  begunAt: Date;
}

const departureSchema = new Schema<DepartureDocument>(
  {
    groupId: { type: Schema.Types.ObjectId, required: true },
    userId: { type: Schema.Types.ObjectId, required: true },
    reason: { type: String, required: true },
    begunAt: { type: Date, required: true },
  },
  { collection: "departures", writeConcern: DURABLE, versionKey: false },
);
departureSchema.index({ groupId: 1, userId: 1 }, { unique: true });
departureSchema.index({ begunAt: 1 });

export function departureModel(connection: Connection): Model<DepartureDocument> {
  return connection.model<DepartureDocument>("Departure", departureSchema);
}
