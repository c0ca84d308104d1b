import { userRoom } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import { tellOwner } from "../tell-owner.ts";
import type { UserDependencies } from "../user.dependencies.ts";
import { presentOwnUser, presentUser } from "../user.presenter.ts";

export function updateProfile({ node, users }: UserDependencies): Handler<"user.updateProfile"> {
  return async ({ params: { nickname, bio, locale }, actor }) => {
    const changed = await users.setProfile(actor.userId, {
      kind: actor.kind,
      ...(nickname !== undefined && { nickname }),
      ...(bio !== undefined && { bio }),
      ...(locale !== undefined && { locale }),
    });
    if (changed === null) throw serviceError("UNAUTHENTICATED");
    const user = presentUser(changed);
    // The language is nobody else's business.
    if (nickname !== undefined || bio !== undefined) {
      node.publish(userRoom(actor.userId), "user.updated", { user });
      node.broadcast("user.profileChanged", { user });
    }
    if (locale !== undefined) tellOwner(node, changed);
    return { user: presentOwnUser(changed) };
  };
}
