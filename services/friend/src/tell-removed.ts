import { userRoom } from "@fanfare/contract";
import type { NodeContext } from "@fanfare/kernel";

/** Both hear that there is nothing between them any more. */
export function tellRemoved(node: Pick<NodeContext, "publish">, userId: string, otherId: string): void {
  node.publish(userRoom(userId), "friend.removed", { userId: otherId });
  node.publish(userRoom(otherId), "friend.removed", { userId });
}
