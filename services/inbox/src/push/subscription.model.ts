import { Schema, type Connection, type Model, type Types } from "mongoose";

/** Where a session of a user is pushed to while the user is away. */
export interface SubscriptionDocument {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  sessionId: Types.ObjectId;
  endpoint: string;
  /** SHA-256 of the endpoint: an index of its own length. */
  endpointHash: string;
  p256dh: string;
  auth: string;
  createdAt: Date;
}

const schema = new Schema<SubscriptionDocument>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    sessionId: { type: Schema.Types.ObjectId, required: true },
    endpoint: { type: String, required: true },
    endpointHash: { type: String, required: true },
    p256dh: { type: String, required: true },
    auth: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: "pushSubscriptions", versionKey: false },
)
  .index({ endpointHash: 1 }, { unique: true, name: "endpoint" })
  .index({ userId: 1 }, { name: "user" })
  .index({ sessionId: 1 }, { name: "session" });

export function subscriptionModel(connection: Connection): Model<SubscriptionDocument> {
  return connection.model<SubscriptionDocument>("PushSubscription", schema);
}
