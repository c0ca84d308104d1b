import { createNewIds, userLine } from "@fanfare/group-file";
import type { Handlers } from "@fanfare/kernel";
import type { UserDependencies } from "./user.dependencies.ts";
import type { UserDocument } from "./user.model.ts";

const BATCH = 1000;

export const nameActions = ({ users }: UserDependencies): Handlers => ({
  /** Imported authors become new guests without a session, so an import can't take over users and no one can log in as them. */
  "user.importNames": async ({ params: { groupId, salt, users: lines } }) => {
    const newId = createNewIds(salt);
    const documents = lines.map(({ id, nickname }): UserDocument => {
      const _id = newId(id);
      const createdAt = _id.getTimestamp();
      const user: UserDocument = {
        _id: String(_id),
        kind: "guest",
        nickname: nickname ?? "",
        avatarUrl: null,
        createdAt,
        importedIn: [groupId],
      };
      return nickname === null ? { ...user, deletedAt: createdAt } : user;
    });
    if (documents.length > 0) await users.insertMany(documents);
    return {};
  },

  "user.removeImported": async ({ params: { groupId } }) => {
    for (let removed = BATCH; removed === BATCH;) removed = await users.removeSomeImported(groupId, BATCH);
    await users.keepImported(groupId);
    return {};
  },

  "user.exportNames": async ({ params: { userIds } }) => {
    const found = await users.findMany([...new Set(userIds)]);
    const alive = found.filter(({ deletedAt }) => deletedAt === undefined);
    const byId = new Map(alive.map((user) => [user._id, user]));
    return { lines: userIds.map((id) => userLine(id, byId.get(id) ?? null)) };
  },
});
