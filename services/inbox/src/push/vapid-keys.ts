import { defineRepository, type NodeContext } from "@fanfare/kernel";
import { Schema } from "mongoose";
import webPush from "web-push";
import type { SubscriptionRepository } from "./subscription.repository.ts";

/** The identity of this instance for push services. */
export interface VapidKeys {
  /** https: or mailto: URL to contact the operator. */
  subject: string;
  publicKey: string;
  privateKey: string;
}

const ID = "vapid";
/** Push services require a contact, but don't read it. */
const UNKNOWN_SUBJECT = "mailto:admin@localhost.invalid";

interface KeysDocument {
  _id: string;
  publicKey: string;
  /** Sealed. */
  privateKey: string;
}

const schema = new Schema<KeysDocument>(
  {
    _id: { type: String, required: true },
    publicKey: { type: String, required: true },
    privateKey: { type: String, required: true },
  },
  { collection: "pushKeys" },
);

const createKeysRepository = defineRepository({ name: "PushKeys", schema }, ({ model: keys, update }) => ({
  find: () => keys.findById(ID).lean(),
  /** Changes nothing if there are any. */
  add: (made: Omit<KeysDocument, "_id">) =>
    keys.updateOne({ _id: ID }, { $setOnInsert: made }, { upsert: true }),
  /** Only if they are still the keys that were read. */
  replace: ({ publicKey }: KeysDocument, made: Omit<KeysDocument, "_id">) =>
    update({ _id: ID, publicKey }, { $set: made }),
}));

interface VapidOptions {
  node: NodeContext;
  subscriptions: Pick<SubscriptionRepository, "removeOfBrowsers">;
}

/** Returns the keys of this instance. They are made when they are first needed, and are the same in all processes. */
export function createVapidKeys({ node, subscriptions }: VapidOptions): () => Promise<VapidKeys> {
  const { publicUrl } = node.config;
  const subject = publicUrl.startsWith("https:") ? publicUrl : UNKNOWN_SUBJECT;
  const keys = createKeysRepository(node.database);
  const sealer = node.sealerFor("push notifications");
  const load = async (): Promise<VapidKeys> => {
    const stored = await keys.find();
    const opened = stored === null ? null : sealer.open(stored.privateKey, ID);
    if (stored !== null && opened !== null)
      return { subject, publicKey: stored.publicKey, privateKey: opened.text };
    const { publicKey, privateKey } = webPush.generateVAPIDKeys();
    const made = { publicKey, privateKey: sealer.seal(privateKey, ID) };
    if (stored === null) await keys.add(made);
    else if (await keys.replace(stored, made)) {
      node.logger.warn(
        "TOKEN_SECRET has changed: the keys for push notifications were replaced. Users must turn them on again in their browsers.",
      );
      await subscriptions.removeOfBrowsers();
    }
    // Another process may have been first.
    return load();
  };
  let loaded: Promise<VapidKeys> | undefined;
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
}
