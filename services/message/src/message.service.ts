import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { remove } from "./actions/delete.ts";
import { edit } from "./actions/edit.ts";
import { get } from "./actions/get.ts";
import { listHeads } from "./actions/list-heads.ts";
import { list } from "./actions/list.ts";
import { markRead } from "./actions/mark-read.ts";
import { removeChannels } from "./actions/remove-channels.ts";
import { send } from "./actions/send.ts";
import { sync } from "./actions/sync.ts";
import { createParts } from "./parts.ts";

export function createMessageService(node: NodeContext): ReturnType<ServiceFactory> {
  const parts = createParts(node);
  const { messages, heads, markers, removals, remover, commit } = parts;
  return defineService(node, {
    name: "message",
    actions: {
      "message.send": send(parts),
      "message.edit": edit(parts),
      "message.delete": remove(parts),
      "message.get": get(parts),
      "message.list": list(parts),
      "message.listHeads": listHeads(parts),
      "message.removeChannels": removeChannels(parts),
      "channel.markRead": markRead(parts),
      "channel.sync": sync(parts),
    },
    async started() {
      await Promise.all([messages, heads, markers, removals].map((repository) => repository.createIndexes()));
      remover.start();
    },
    async stopped() {
      await Promise.all([commit.close(), remover.close()]);
    },
  });
}
