import { answerActions } from "./answer.ts";
import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { readActions } from "./read.ts";
import { changeActions } from "./change.ts";
import { defineChannelRemoval, removeChannels, removalActions } from "./removal.ts";
import { reactActions } from "./reactions/react.ts";
import { pinActions } from "./pins.ts";
import { sendActions } from "./send.ts";
import { syncActions } from "./sync.ts";
import {
  LATE_WRITE_MS,
  RETENTION_INTERVAL_MS,
  UNCOUNTED_SWEEP_INTERVAL_MS,
  UNCOUNTED_MIN_AGE_MS,
} from "./constants.ts";
import { channelLineActions } from "./export/channel-lines.ts";
import { exportSentActions, exportUserActions } from "./export/exports.ts";
import { defineRelease, holdActions } from "./hold/holds.ts";
import { createDependencies } from "./message.dependencies.ts";

export function createMessageService(node: NodeContext): ReturnType<ServiceFactory> {
  const dependencies = createDependencies(node);
  const { messages, heads, markers, edits, reactions, boundaries } = dependencies;
  const { commit, reactionCounter, retention } = dependencies;
  const channelRemoval = defineChannelRemoval(node, {
    messages,
    heads,
    holds: dependencies.holds,
    held: dependencies.held,
    others: [markers, edits, reactions, boundaries],
    forget: dependencies.forgetHead,
  });
  node.jobs.define("message.removeOld", {
    everyMs: RETENTION_INTERVAL_MS,
    run: ({ signal }) => retention.sweep(Date.now(), signal),
  });
  node.jobs.define("message.countReactions", {
    everyMs: UNCOUNTED_SWEEP_INTERVAL_MS,
    run: () => reactionCounter.takeUp(UNCOUNTED_MIN_AGE_MS),
  });
  return defineService(node, {
    name: "message",
    actions: {
      ...answerActions(dependencies),
      ...changeActions(dependencies),
      ...channelLineActions(dependencies),
      ...exportSentActions(dependencies),
      ...exportUserActions(dependencies),
      ...holdActions(dependencies, defineRelease(node, dependencies)),
      ...pinActions(dependencies),
      ...reactActions(dependencies),
      ...readActions(dependencies),
      ...removalActions(dependencies),
      ...sendActions(dependencies),
      ...syncActions(dependencies),
      "message.removeChannels": removeChannels(dependencies, channelRemoval),
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
