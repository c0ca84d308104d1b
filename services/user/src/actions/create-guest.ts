import { randomInt } from "node:crypto";
import { newId, serviceError, type Handler } from "@fanfare/kernel";
import { assertRoomForUser } from "../entry.policy.ts";
import type { UserDependencies } from "../user.dependencies.ts";
import type { UserDocument } from "../user.model.ts";

export function createGuest({
  node,
  users,
  allUsers,
  sessions,
}: UserDependencies): Handler<"user.createGuest"> {
  return async ({ params, client }) => {
    const policy = await node.policy.get();
    if (!policy.guests) throw serviceError("GUESTS_DISABLED");
    await assertRoomForUser(policy, allUsers);
    const createdAt = new Date();
    const user: UserDocument = {
      _id: newId(),
      nickname: params.nickname ?? `Guest ${randomInt(1000, 10_000)}`,
      avatarUrl: null,
      kind: "guest",
      createdAt,
      seenAt: createdAt,
    };
    // Side by side: a session whose user was never stored is good for nothing and expires.
    const [tokens] = await Promise.all([sessions.open(user, client), users.insert(user)]);
    return tokens;
  };
}
