import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { accept, decline, remove } from "./actions/answer.ts";
import { exportUser } from "./actions/export-user.ts";
import { forgetUser } from "./actions/forget-user.ts";
import { list, listRequests } from "./actions/list.ts";
import { listAmong } from "./actions/list-among.ts";
import { getReach, listReachable, setReach } from "./actions/reach.ts";
import { request } from "./actions/request.ts";
import { userBlocked } from "./events/user-blocked.ts";
import type { FriendDependencies } from "./friend.dependencies.ts";
import { createFriendshipRepository } from "./friendship.repository.ts";
import { createReachRepository } from "./reach.repository.ts";

/** Friends, requests, and who may reach whom: the actions `friend.*` of the contract. */
export function createFriendService(node: NodeContext): ReturnType<ServiceFactory> {
  const dependencies: FriendDependencies = {
    node,
    friendships: createFriendshipRepository(node.database),
    reaches: createReachRepository(node.database),
  };
  return defineService(node, {
    name: "friend",
    actions: {
      "friend.request": request(dependencies),
      "friend.accept": accept(dependencies),
      "friend.decline": decline(dependencies),
      "friend.remove": remove(dependencies),
      "friend.list": list(dependencies),
      "friend.listRequests": listRequests(dependencies),
      "friend.getReach": getReach(dependencies),
      "friend.setReach": setReach(dependencies),
      "friend.exportUser": exportUser(dependencies),
      "friend.forgetUser": forgetUser(dependencies),
      "friend.listReachable": listReachable(dependencies),
      "friend.listAmong": listAmong(dependencies),
    },
    events: { "user.blocked": userBlocked(dependencies) },
  });
}
