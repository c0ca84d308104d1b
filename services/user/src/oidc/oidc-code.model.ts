import { Schema, type Connection, type Model } from "mongoose";
import { DURABLE } from "../user.model.ts";
import type { OidcIdentity } from "./oidc-provider.ts";

export interface OidcCodeDocument extends OidcIdentity {
  /** SHA-256 of the code in the address that the login ended at. */
  _id: string;
  /** SHA-256 of what only the page that began the login has: the code alone logs nobody in. */
  challenge: string;
  expiresAt: Date;
}

const oidcCodeSchema = new Schema<OidcCodeDocument>(
  {
    _id: { type: String, required: true },
    challenge: { type: String, required: true },
    key: { type: String, required: true },
    email: { type: String, default: null },
    authenticatedAt: Date,
    names: { type: new Schema({ username: String, nickname: String }, { _id: false }), required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: "oidcCodes", writeConcern: DURABLE, versionKey: false },
);
// Cleans up only: every reader compares the times itself.
oidcCodeSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export function oidcCodeModel(connection: Connection): Model<OidcCodeDocument> {
  return connection.model<OidcCodeDocument>("OidcCode", oidcCodeSchema);
}
