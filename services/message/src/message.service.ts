import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import {
  count,
  countMentions,
  findSent,
  get,
  getMany,
  list,
  listChanges,
  listHeads,
  listMentions,
  markRead,
} from "./read.ts";
import { edit, listEdits, remove, setEmbeds, setThread } from "./change.ts";
import { defineChannelRemoval, forgetUser, removeChannels } from "./removal.ts";
import { listOwnReactions, listReactors, react, unreact } from "./reactions/react.ts";
import { listPins, pin, unpin } from "./pins.ts";
import { post, send } from "./send.ts";
import { sync } from "./sync.ts";
import { LATE_WRITE_MS, LOOK_FOR_OLD_MS, LOOK_FOR_UNCOUNTED_MS, UNCOUNTED_LEFT_MS } from "./bounds.ts";
import { exportChannel, importHeads, importLines } from "./export/channel-lines.ts";
import { createOwnMessages, exportUser } from "./export/export-user.ts";
import { createDependencies } from "./message.dependencies.ts";

export function createMessageService(node: NodeContext): ReturnType<ServiceFactory> {
  const dependencies = createDependencies(node);
  const { messages, heads, markers, edits, reactions, boundaries } = dependencies;
  const { commit, reactionCounter, retention } = dependencies;
  const channelRemoval = defineChannelRemoval(node, {
    messages,
    heads,
    others: [markers, edits, reactions, boundaries],
    forget: dependencies.forgetHead,
  });
  node.jobs.define("message.removeOld", {
    everyMs: LOOK_FOR_OLD_MS,
    run: ({ signal }) => retention.sweep(Date.now(), signal),
  });
  node.jobs.define("message.countReactions", {
    everyMs: LOOK_FOR_UNCOUNTED_MS,
    run: () => reactionCounter.takeUp(UNCOUNTED_LEFT_MS),
  });
  return defineService(node, {
    name: "message",
    actions: {
      "message.send": send(dependencies),
      "message.edit": edit(dependencies),
      "message.delete": remove(dependencies),
      "message.get": get(dependencies),
      "message.list": list(dependencies),
      "message.exportUser": exportUser(createOwnMessages(node.database)),
      "message.importLines": importLines(dependencies),
      "message.importHeads": importHeads(dependencies),
      "message.exportChannel": exportChannel(dependencies),
      "message.forgetUser": forgetUser(dependencies),
      "message.count": count(node.database),
      "message.listHeads": listHeads(dependencies),
      "message.listEdits": listEdits(dependencies),
      "message.react": react(dependencies),
      "message.unreact": unreact(dependencies),
      "message.listReactors": listReactors(dependencies),
      "message.listOwnReactions": listOwnReactions(dependencies),
      "message.pin": pin(dependencies),
      "message.unpin": unpin(dependencies),
      "message.listPins": listPins(dependencies),
      "message.post": post(dependencies),
      "message.setEmbeds": setEmbeds(dependencies),
      "message.findSent": findSent(dependencies),
      "message.getMany": getMany(dependencies),
      "message.listChanges": listChanges(dependencies),
      "message.listMentions": listMentions(dependencies),
      "message.countMentions": countMentions(dependencies),
      "message.removeChannels": removeChannels(dependencies, channelRemoval),
      "message.setThread": setThread(dependencies),
      "channel.markRead": markRead(dependencies),
      "channel.sync": sync(dependencies),
    },
    async started() {
      await reactionCounter.takeUp(LATE_WRITE_MS);
    },
    async stopped() {
      await reactionCounter.close();
      await commit.close();
    },
  });
}
