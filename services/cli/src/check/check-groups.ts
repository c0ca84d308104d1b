import type { mongo } from "mongoose";
import type { Check } from "./fault.ts";

/** A group's count of its members is that of its member documents. */
export const checkMemberCounts: Check = async function* (db) {
  const counts = new Map<string, number>();
  for await (const { groupId } of db.collection("members").find({}, { projection: { groupId: 1 } })) {
    const id = String(groupId);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const groups = db.collection<{ _id: mongo.ObjectId; memberCount: number }>("groups");
  for await (const { _id, memberCount } of groups.find({ deletedAt: { $exists: false } })) {
    const counted = counts.get(String(_id)) ?? 0;
    if (counted === memberCount) continue;
    yield {
      what: `group ${String(_id)} says that it has ${memberCount} members; there are ${counted}`,
      repair: () => groups.updateOne({ _id }, { $set: { memberCount: counted } }),
    };
  }
};

/** A group has an owner who is in it. */
export const checkOwners: Check = async function* (db) {
  const members = db.collection("members");
  const groups = db.collection<{ _id: mongo.ObjectId; ownerId: mongo.ObjectId }>("groups");
  for await (const { _id, ownerId } of groups.find({ deletedAt: { $exists: false } })) {
    if ((await members.findOne({ groupId: _id, userId: ownerId })) === null)
      yield { what: `group ${String(_id)} belongs to ${String(ownerId)}, who is not in it` };
  }
};
