import { userRoom } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import type { UserDependencies } from "../user.dependencies.ts";
import { presentOwnUser, presentUser } from "../user.presenter.ts";

export function updateProfile({ node, users }: UserDependencies): Handler<"user.updateProfile"> {
  return async ({ params, actor }) => {
    const changed = await users.setNickname(actor.userId, params.nickname);
    if (changed === null) throw serviceError("UNAUTHENTICATED");
    const user = presentUser(changed);
    node.publish(userRoom(actor.userId), "user.updated", { user });
    node.broadcast("user.profileChanged", { user });
    return { user: presentOwnUser(changed) };
  };
}
