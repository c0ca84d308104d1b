import type { NodeContext } from "@fanfare/kernel";
import { createDraftRepository, createScheduledRepository } from "./draft.repository.ts";
import { whenDue } from "./due.ts";
import { createFollowRepository } from "./follow.repository.ts";
import { createMissedMails } from "./mail/missed-mails.ts";
import { createMissedRepository } from "./mail/missed.repository.ts";
import { createMarkerRepository } from "./marker.repository.ts";
import { createPreferencesRepository } from "./preferences.repository.ts";
import { createPush } from "./push/pusher.ts";
import { createSubscriptionRepository } from "./push/subscription.repository.ts";
import { createReminders } from "./saved.ts";
import { createSavedRepository } from "./saved.repository.ts";
import { createScheduledSending } from "./drafts.ts";
import { createSettingRepository } from "./setting.repository.ts";

export type InboxDependencies = ReturnType<typeof createDependencies>;

/** What the actions of this service need. */
export function createDependencies(node: NodeContext) {
  const repositories = {
    markers: createMarkerRepository(node.database),
    settings: createSettingRepository(node.database),
    preferences: createPreferencesRepository(node.database),
    follows: createFollowRepository(node.database),
    drafts: createDraftRepository(node.database),
    saved: createSavedRepository(node.database),
    scheduled: createScheduledRepository(node.database),
    subscriptions: createSubscriptionRepository(node.database),
    missed: createMissedRepository(node.database),
  };
  const { saved, scheduled } = repositories;
  const noteMissed = createMissedMails({ node, ...repositories });
  const push = createPush({ node, ...repositories, noteMissed });
  return {
    node,
    ...repositories,
    push,
    /** Call these with the time of a reminder or scheduled message that was stored. */
    remindAt: whenDue(node, "inbox.remind", saved, createReminders({ node, saved, push: push.remind })),
    sendAt: whenDue(node, "inbox.sendScheduled", scheduled, () => createScheduledSending(node, scheduled)),
  };
}
