import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { getUnreadCount, listInbox } from "./actions/list-inbox.ts";
import { clearInbox, markInboxRead } from "./actions/mark-inbox.ts";
import { markAllRead, markGroupRead } from "./actions/mark-many-read.ts";
import { listUnreadChannels } from "./actions/unread.ts";
import type { InboxDependencies } from "./inbox.dependencies.ts";
import { createMarkerRepository } from "./marker.repository.ts";
import { tellMentioned } from "./tell-mentioned.ts";

/** What concerns a user: `inbox.*` and `channel.listUnread`. */
export function createInboxService(node: NodeContext): ReturnType<ServiceFactory> {
  const dependencies: InboxDependencies = { node, markers: createMarkerRepository(node.database) };
  return defineService(node, {
    name: "inbox",
    actions: {
      "inbox.list": listInbox(dependencies),
      "inbox.getUnreadCount": getUnreadCount(dependencies),
      "inbox.markRead": markInboxRead(dependencies),
      "inbox.clear": clearInbox(dependencies),
      "inbox.markGroupRead": markGroupRead(),
      "inbox.markAllRead": markAllRead(dependencies),
      "channel.listUnread": listUnreadChannels(dependencies),
    },
    events: {
      "message.stored": (stored) => tellMentioned(node, stored),
    },
  });
}
