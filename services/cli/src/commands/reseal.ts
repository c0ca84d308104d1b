import type { NodeContext } from "@fanfare/kernel";
import type { mongo } from "mongoose";
import { CliError, command } from "../command.ts";
import { loadInstanceConfig, withUserNode } from "../open-instance.ts";

interface Sealed {
  collection: string;
  /** Path of the field; the sealed value is bound to the document's id. */
  field: string;
  purpose: string;
}

const SEALED: readonly Sealed[] = [
  { collection: "users", field: "totp.secret", purpose: "second factor" },
  { collection: "users", field: "totpPending", purpose: "second factor" },
  { collection: "bots", field: "callback.sealedSecret", purpose: "bot callbacks" },
  { collection: "webhooks", field: "sealedSecret", purpose: "webhooks" },
  { collection: "pushKeys", field: "privateKey", purpose: "push notifications" },
];

interface Resealed {
  /** Number of values sealed with the current secret by this run. */
  renewed: number;
  /** Number of values that already were. */
  left: number;
  /** Ids of documents sealed with neither secret. */
  lost: string[];
}

export const resealCommand = command({
  command: "reseal",
  describe: "Re-encrypt stored secrets with TOKEN_SECRET after it was changed",
  async handler() {
    const config = loadInstanceConfig();
    if (config.tokenSecret === undefined || config.tokenSecretPrevious === undefined) {
      throw new CliError("Set TOKEN_SECRET to the new secret and TOKEN_SECRET_PREVIOUS to the previous one.");
    }
    const { renewed, left, lost } = await withUserNode(config, reseal);
    console.log(`Secrets re-encrypted: ${renewed}. Already up to date: ${left}.`);
    if (lost.length === 0) return;
    process.exitCode = 1;
    console.error(["Neither secret can decrypt:", ...lost.map((what) => `  ${what}`)].join("\n"));
    console.error(
      "For users: fanfare reset-totp; bots call bot.subscribe again; set a new secret for webhooks.",
    );
  },
});

/** Reseals values from TOKEN_SECRET_PREVIOUS with TOKEN_SECRET. Idempotent, and can be used beside a running instance. */
async function reseal(node: Pick<NodeContext, "database" | "sealerFor">): Promise<Resealed> {
  const result: Resealed = { renewed: 0, left: 0, lost: [] };
  const db = node.database.db!;
  for (const { collection, field, purpose } of SEALED) {
    const sealer = node.sealerFor(purpose);
    const documents = db.collection(collection);
    const cursor = documents.find({ [field]: { $type: "string" } }, { projection: { [field]: 1 } });
    for await (const document of cursor) {
      const id = String(document._id);
      const stored = valueAt(document, field);
      const opened = sealer.open(stored, id);
      if (opened === null) result.lost.push(`${collection} ${id}`);
      else if (!opened.isOld) result.left += 1;
      else {
        // A concurrent change has already sealed it with the current secret.
        const renewed = { $set: { [field]: sealer.seal(opened.text, id) } };
        await documents.updateOne({ _id: document._id, [field]: stored }, renewed);
        result.renewed += 1;
      }
    }
  }
  return result;
}

function valueAt(document: mongo.Document, path: string): string {
  return path
    .split(".")
    .reduce<unknown>((value, name) => (value as mongo.Document)[name], document) as string;
}
