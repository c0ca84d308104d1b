import type { Survey } from "@fanfare/group-file";
import type { mongo } from "mongoose";
import { CliError } from "../cli-error.ts";

export interface UserOptions {
  /** Who is to own the group, by username; undefined: the account with the username of its owner. */
  owner: string | undefined;
  /** Whether accounts here are those of the file with the same usernames. */
  matchUsernames: boolean;
}

export interface ResolvedUsers {
  ownerId: mongo.ObjectId;
  /** By the id in the file. */
  ids: Map<string, mongo.ObjectId>;
  /** Who has an account here, by the id in the file. */
  known: Set<string>;
  placeholders: mongo.Document[];
}

/**
 * Who the users of a file are here. Nobody is taken for an account because of what a file says, unless that was asked for; the
 * others become guests whom nobody can log in as.
 * @throws {CliError} when there is no owner
 */
export async function resolveUsers(
  db: mongo.Db,
  { group, users }: Survey,
  { owner, matchUsernames }: UserOptions,
  newId: (id: string) => mongo.ObjectId,
): Promise<ResolvedUsers> {
  const resolved = { ids: new Map(), known: new Set<string>(), placeholders: [] as mongo.Document[] };
  for (const { id, username, nickname } of users.values()) {
    const account = matchUsernames && username !== null ? await findAccount(db, username) : null;
    const _id = account ?? newId(id);
    resolved.ids.set(id, _id);
    if (account !== null) {
      resolved.known.add(id);
      continue;
    }
    const createdAt = _id.getTimestamp();
    const named = { _id, kind: "guest", avatarUrl: null, createdAt, nickname: nickname ?? "" };
    resolved.placeholders.push(nickname === null ? { ...named, deletedAt: createdAt } : named);
  }
  if (owner !== undefined) {
    const ownerId = await findAccount(db, owner);
    if (ownerId === null) throw new CliError(`There is no account ${owner}. Nothing was changed.`);
    return { ...resolved, ownerId };
  }
  if (!resolved.known.has(group.ownerId))
    throw new CliError("Say who is to own the group: --owner <username>. Nothing was changed.");
  return { ...resolved, ownerId: resolved.ids.get(group.ownerId) };
}

async function findAccount(db: mongo.Db, username: string): Promise<mongo.ObjectId | null> {
  const filter = { usernameLower: username.toLowerCase(), kind: "member", deletedAt: { $exists: false } };
  const found = await db.collection("users").findOne(filter, { projection: { _id: 1 } });
  return found?._id ?? null;
}
