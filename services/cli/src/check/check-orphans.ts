import type { mongo } from "mongoose";
import { idsOf, type Check } from "./fault.ts";

type Owners = "users" | "groups" | "channels" | "messages";

interface Reference {
  collection: string;
  field: string;
  owner: Owners;
  /** Nothing is lost with what belongs to nobody; where it is what somebody has written, a person decides. */
  isSafe: boolean;
}

const REFERENCES: readonly Reference[] = [
  { collection: "channels", field: "groupId", owner: "groups", isSafe: false },
  { collection: "channels", field: "parentId", owner: "channels", isSafe: false },
  { collection: "messages", field: "channelId", owner: "channels", isSafe: false },
  { collection: "members", field: "groupId", owner: "groups", isSafe: true },
  { collection: "members", field: "userId", owner: "users", isSafe: true },
  { collection: "roles", field: "groupId", owner: "groups", isSafe: true },
  { collection: "invites", field: "groupId", owner: "groups", isSafe: true },
  { collection: "bans", field: "groupId", owner: "groups", isSafe: true },
  { collection: "mutes", field: "groupId", owner: "groups", isSafe: true },
  { collection: "readMarkers", field: "channelId", owner: "channels", isSafe: true },
  { collection: "readMarkers", field: "userId", owner: "users", isSafe: true },
  { collection: "reactions", field: "messageId", owner: "messages", isSafe: true },
  { collection: "messageEdits", field: "messageId", owner: "messages", isSafe: true },
  { collection: "searchEntries", field: "_id", owner: "messages", isSafe: true },
  { collection: "sessions", field: "userId", owner: "users", isSafe: true },
  // A file without a channel is a picture, or is still to be sent.
  { collection: "files", field: "channelId", owner: "channels", isSafe: false },
];

/** What belongs to something that is there. */
export const checkOrphans: Check = async function* (db) {
  // What is being removed is finished by the services when they run.
  const removals = new Set<string>(
    await db.collection("jobs").distinct("key", { kind: "message.removeChannel" }),
  );
  for (const owner of ["users", "groups", "channels", "messages"] as const) {
    const references = REFERENCES.filter((reference) => reference.owner === owner);
    const known = await idsOf(db, owner);
    for (const reference of references) yield* orphansOf(db, reference, known, removals);
  }
};

async function* orphansOf(
  db: mongo.Db,
  { collection, field, owner, isSafe }: Reference,
  known: ReadonlySet<string>,
  removals: ReadonlySet<string>,
) {
  const documents = db.collection(collection);
  const cursor = documents.find({ [field]: { $exists: true } }, { projection: { [field]: 1, channelId: 1 } });
  for await (const { _id, ...rest } of cursor) {
    const id = String(field === "_id" ? _id : rest[field]);
    if (known.has(id) || removals.has(id) || removals.has(String(rest["channelId"]))) continue;
    yield {
      what: `${collection} ${String(_id)} belongs to ${owner} ${id}, which is not there`,
      ...(isSafe && { repair: () => documents.deleteOne({ _id }) }),
    };
  }
}
