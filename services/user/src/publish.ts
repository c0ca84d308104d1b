import { userRoom } from "@fanfare/contract";
import type { NodeContext } from "@fanfare/kernel";
import type { UserDocument } from "./user.model.ts";
import { presentOwnUser, presentUser } from "./user.presenter.ts";

/** Publishes the account to the user's own sockets only. */
export function publishAccount({ publish }: Pick<NodeContext, "publish">, user: UserDocument): void {
  publish(userRoom(user._id), "account.updated", { user: presentOwnUser(user) });
}

/** Publishes the profile to the user's own sockets, and to all who see it. */
export function publishProfile(
  { publish, broadcast }: Pick<NodeContext, "publish" | "broadcast">,
  user: UserDocument,
): void {
  const profile = { user: presentUser(user) };
  publish(userRoom(user._id), "user.updated", profile);
  broadcast("user.profileChanged", profile);
}
