import { userRoom } from "@fanfare/contract";
import { type Handlers, ResponseBudget } from "@fanfare/kernel";
import { presentDraft } from "./draft.repository.ts";
import type { InboxDependencies } from "./inbox.dependencies.ts";

export const draftActions = ({ node, drafts }: InboxDependencies): Handlers => ({
  "draft.set": async ({ params: { channelId, content }, actor: { userId } }) => {
    const changed = { channelId, content, changedAt: new Date() };
    await drafts.set({ userId, ...changed });
    const draft = presentDraft(changed);
    node.publish(userRoom(userId), "draft.changed", { draft });
    return { draft };
  },

  "draft.list": async ({ actor: { userId } }) => ({
    drafts: new ResponseBudget().takeWhileFits((await drafts.listOf(userId)).map(presentDraft)),
  }),
});
