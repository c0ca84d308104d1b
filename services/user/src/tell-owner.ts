import { userRoom } from "@fanfare/contract";
import type { NodeContext } from "@fanfare/kernel";
import type { UserDocument } from "./user.model.ts";
import { presentOwnUser } from "./user.presenter.ts";

/** Tells the user's own sockets, and nobody else, how the account is now. */
export function tellOwner({ publish }: Pick<NodeContext, "publish">, user: UserDocument): void {
  publish(userRoom(user._id), "account.updated", { user: presentOwnUser(user) });
}
