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
import { createParts } from "./parts.ts";

export function createMessageService(node: NodeContext): ReturnType<ServiceFactory> {
  const parts = createParts(node);
  const { messages, heads, markers, edits, reactions, boundaries } = parts;
  const { commit, reactionCounter, retention } = parts;
  const channelRemoval = defineChannelRemoval(node, {
    messages,
    heads,
    others: [markers, edits, reactions, boundaries],
    forget: parts.forgetHead,
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
      "message.send": send(parts),
      "message.edit": edit(parts),
      "message.delete": remove(parts),
      "message.get": get(parts),
      "message.list": list(parts),
      "message.exportUser": exportUser(createOwnMessages(node.database)),
      "message.importLines": importLines(parts),
      "message.importHeads": importHeads(parts),
      "message.exportChannel": exportChannel(parts),
      "message.forgetUser": forgetUser(parts),
      "message.count": count(node.database),
      "message.listHeads": listHeads(parts),
      "message.listEdits": listEdits(parts),
      "message.react": react(parts),
      "message.unreact": unreact(parts),
      "message.listReactors": listReactors(parts),
      "message.listOwnReactions": listOwnReactions(parts),
      "message.pin": pin(parts),
      "message.unpin": unpin(parts),
      "message.listPins": listPins(parts),
      "message.post": post(parts),
      "message.setEmbeds": setEmbeds(parts),
      "message.findSent": findSent(parts),
      "message.getMany": getMany(parts),
      "message.listChanges": listChanges(parts),
      "message.listMentions": listMentions(parts),
      "message.countMentions": countMentions(parts),
      "message.removeChannels": removeChannels(parts, channelRemoval),
      "message.setThread": setThread(parts),
      "channel.markRead": markRead(parts),
      "channel.sync": sync(parts),
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
