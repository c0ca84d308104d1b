import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { countMentions } from "./actions/count-mentions.ts";
import { count } from "./actions/count.ts";
import { remove } from "./actions/delete.ts";
import { edit, listEdits } from "./actions/edit.ts";
import { findSent } from "./actions/find-sent.ts";
import { forgetUser } from "./actions/forget-user.ts";
import { get } from "./actions/get.ts";
import { listHeads } from "./actions/list-heads.ts";
import { getMany, listChanges, listMentions } from "./actions/list-mentions.ts";
import { listOwnReactions, listReactors } from "./actions/list-reactions.ts";
import { list } from "./actions/list.ts";
import { markRead } from "./actions/mark-read.ts";
import { listPins, pin, unpin } from "./actions/pins.ts";
import { post } from "./actions/post.ts";
import { react, unreact } from "./actions/react.ts";
import { removeChannels } from "./actions/remove-channels.ts";
import { send } from "./actions/send.ts";
import { setEmbeds } from "./actions/set-embeds.ts";
import { setThread } from "./actions/set-thread.ts";
import { sync } from "./actions/sync.ts";
import { LATE_WRITE_MS, LOOK_FOR_OLD_MS, LOOK_FOR_UNCOUNTED_MS, UNCOUNTED_LEFT_MS } from "./bounds.ts";
import { defineChannelRemoval } from "./channel-removal.ts";
import { exportChannel } from "./export/export-channel.ts";
import { exportUser } from "./export/export-user.ts";
import { createOwnMessages } from "./export/own-messages.repository.ts";
import { importHeads, importLines } from "./import/import-lines.ts";
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
