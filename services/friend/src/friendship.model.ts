import { Schema, type Connection, type Model, type Types } from "mongoose";

export const DURABLE = { w: "majority", j: true } as const;

/** Two users who are friends, or of whom one has asked: one document, so that they never disagree. */
export interface FriendshipDocument {
  _id: Types.ObjectId;
  /** The sorted ids of the two, joined, so that one string is unique. */
  pair: string;
  userIds: Types.ObjectId[];
  state: "requested" | "friends";
  /** Who asked first. */
  requestedBy: Types.ObjectId;
  /** When it came into this state. */
  since: Date;
}

const schema = new Schema<FriendshipDocument>(
  {
    pair: { type: String, required: true },
    userIds: { type: [Schema.Types.ObjectId], required: true },
    state: { type: String, enum: ["requested", "friends"], required: true },
    requestedBy: { type: Schema.Types.ObjectId, required: true },
    since: { type: Date, required: true },
  },
  { collection: "friendships", writeConcern: DURABLE, versionKey: false },
);
schema.index({ pair: 1 }, { unique: true });
schema.index({ userIds: 1, state: 1, _id: -1 });

export function friendshipModel(connection: Connection): Model<FriendshipDocument> {
  return connection.model<FriendshipDocument>("Friendship", schema);
}
