import { LIMITS, type Locale, type Message } from "@fanfare/contract";
import { isInQuietHours } from "@fanfare/contract/notification-rules";
import { boundedMap, chunks, type DomainEvents, can, type NodeContext } from "@fanfare/kernel";
import { Outbound } from "@fanfare/outbound";
import { QUERY_CONCURRENCY, NO_SUBSCRIPTIONS_TTL_MS, USERS_PER_BATCH } from "../constants.ts";
import type { NoteMissed } from "../mail/missed-mails.ts";
import type { PreferencesRepository } from "../preferences.repository.ts";
import type { SettingRepository } from "../setting.repository.ts";
import {
  type Candidate,
  createMassMentions,
  filterBlocked,
  filterWanted,
  type MessagePlace as Place,
  pushCandidates,
} from "./candidates.ts";
import { createApns, type AppPush, type AppSender, createFcm } from "./app-senders.ts";
import { createPushes, type Push, createVapidKeys } from "./pushes.ts";
import {
  appOf,
  type AppService,
  type SubscriptionDocument,
  type SubscriptionRepository,
} from "./subscription.repository.ts";
import { appText, namesIn, pushText } from "./texts.ts";

interface PushOptions {
  node: NodeContext;
  settings: SettingRepository;
  preferences: PreferencesRepository;
  subscriptions: SubscriptionRepository;
  /** null: no emails are sent about missed messages. */
  noteMissed: NoteMissed | null;
}

type Stored = DomainEvents["message.stored"];
/** Those of the users who meet a condition. */
type Among = (userIds: readonly string[]) => Promise<readonly string[]>;

interface Reached {
  locale: Locale;
  subscriptions: SubscriptionDocument[];
}

/** Push notifications in browsers and apps. Decides which users get a push about new messages: cheap checks come first, and suffice for most messages. */
export function createPush({ node, settings, preferences, subscriptions, noteMissed }: PushOptions) {
  const vapid = createVapidKeys({ node, subscriptions });
  const outbound = new Outbound({ userAgent: "Fanfare-Push", allow: node.config.outboundAllow });
  const { content, fcm, apns } = node.config.appPush;
  const apps = new Map<AppService, AppSender>();
  if (fcm !== undefined) apps.set("fcm", createFcm(fcm));
  if (apns !== undefined) apps.set("apns", createApns(apns));
  const pushes = createPushes({ node, subscriptions, vapid, outbound, apps });
  const massMentions = createMassMentions({
    node,
    push: async (place, candidates) => {
      await Promise.all([noteMissed?.(place, candidates), pushToCandidates(place, candidates)]);
    },
    isBusy: pushes.isBusy,
  });
  let noneUntilMs = 0;

  const hasSubscriptions = async (): Promise<boolean> => {
    if (Date.now() < noneUntilMs) return false;
    if (!(await subscriptions.isEmpty())) return true;
    noneUntilMs = Date.now() + NO_SUBSCRIPTIONS_TTL_MS;
    return false;
  };

  const pushToCandidates = async (place: Place, all: readonly Candidate[]): Promise<void> => {
    const subscribed = await filterUsers(all, subscribedAmong);
    const wanted = await filterBySettings(place, subscribed);
    const away = await filterUsers(wanted, offlineAmong);
    const viewers = await filterUsers(away, (userIds) => viewersAmong(place.channelId, userIds));
    const unblocked = await filterBlocked(node.services, viewers);
    if (unblocked.length > 0) await send(place, unblocked);
  };

  const filterUsers = async (candidates: readonly Candidate[], among: Among): Promise<Candidate[]> => {
    if (candidates.length === 0) return [];
    const userIds = [...new Set(candidates.map(({ userId }) => userId))].slice(0, USERS_PER_BATCH);
    const kept = new Set((await boundedMap(chunks(userIds, LIMITS.usersPerLookup), 1, among)).flat());
    return candidates.filter(({ userId }) => kept.has(userId));
  };

  const subscribedAmong: Among = async (userIds) =>
    (await subscriptions.listOf(userIds)).map(({ userId }) => userId);

  const filterBySettings = async (place: Place, candidates: readonly Candidate[]): Promise<Candidate[]> => {
    if (candidates.length === 0) return [];
    const userIds = [...new Set(candidates.map(({ userId }) => userId))];
    const [wanted, quietHours] = await Promise.all([
      filterWanted(settings, place, candidates),
      preferences.listQuietHours(userIds),
    ]);
    const nowMs = Date.now();
    const isQuiet = ({ quietHours: hours }: (typeof quietHours)[number]): boolean =>
      hours !== undefined && hours !== null && isInQuietHours(hours, nowMs);
    const quiet = new Set(quietHours.filter(isQuiet).map(({ _id }) => _id));
    return wanted.filter(({ userId }) => !quiet.has(userId));
  };

  const offlineAmong: Among = async (userIds) =>
    (await node.services.presence.listAway({ userIds: [...userIds] })).userIds;

  const viewersAmong = async (channelId: string, userIds: readonly string[]): Promise<string[]> => {
    const seeing = await boundedMap(userIds, QUERY_CONCURRENCY, async (userId) =>
      can(await node.access.get(userId, { channelId }), "view") ? [userId] : [],
    );
    return seeing.flat();
  };

  const send = async ({ channelId, groupId }: Place, candidates: readonly Candidate[]): Promise<void> => {
    const reached = await reach([...new Set(candidates.map(({ userId }) => userId))]);
    const messages = new Set(candidates.map(({ message }) => message));
    const names = await namesIn(node.services, groupId, messages);
    const made: Push[] = [];
    for (const { userId, message, reason } of candidates) {
      const user = reached.get(userId);
      if (user === undefined) continue;
      const text = pushText(user.locale, reason, message, names);
      const place = { channelId, groupId, messageId: message.id };
      const forApps: AppPush = {
        ...appText(user.locale, content, text),
        link: linkTo(node.config.publicUrl, place),
        tag: channelId,
      };
      for (const subscription of user.subscriptions) {
        const payload = appOf(subscription.endpoint) === null ? { ...text, ...place } : { app: forApps };
        made.push({ subscription, messageId: message.id, payload });
      }
    }
    await pushes.send(made);
  };

  /** Only subscriptions of active sessions, even if the event of a session's end was lost. */
  const reach = async (userIds: readonly string[]): Promise<Map<string, Reached>> => {
    const reached = new Map<string, Reached>();
    for (const some of chunks(userIds, LIMITS.usersPerLookup)) {
      const [{ users }, found] = await Promise.all([
        node.services.user.listSpokenTo({ userIds: some }),
        subscriptions.listOf(some),
      ]);
      const byUser = Map.groupBy(found, ({ userId }) => userId);
      for (const { userId, locale, sessionIds } of users) {
        const own = byUser.get(userId) ?? [];
        const isAlive = ({ sessionId }: SubscriptionDocument): boolean => sessionIds.includes(sessionId);
        reached.set(userId, { locale, subscriptions: own.filter(isAlive) });
        for (const ended of own.filter((subscription) => !isAlive(subscription)))
          await subscriptions.removeStale(ended);
      }
    }
    return reached;
  };

  return {
    vapid,

    /** The services by which apps can be reached. */
    apps: [...apps.keys()],

    /** Call this after a subscription was added. */
    subscribed(): void {
      noneUntilMs = 0;
    },

    async stored(stored: Stored): Promise<void> {
      const isPushing = await hasSubscriptions();
      if (!isPushing && noteMissed === null) return;
      // Users who want all messages get no emails about them.
      const sources = { node, settings: isPushing ? settings : null, preferences };
      const candidates = await pushCandidates(sources, stored);
      await Promise.all([
        noteMissed?.(stored, candidates),
        isPushing && pushToCandidates(stored, candidates),
      ]);
      await massMentions.add(stored, isPushing);
    },

    /** A reminder that the user set: settings don't matter. */
    remind: async (place: Place, userId: string, message: Message): Promise<void> => {
      const candidates = await filterUsers([{ userId, message, reason: "reminder" }], subscribedAmong);
      const away = await filterUsers(candidates, offlineAmong);
      if (away.length > 0) await send(place, away);
    },

    stop: () => {
      for (const sender of apps.values()) sender.stop();
      return outbound.close();
    },
  };
}

/** The link of a message for the apps, which have several servers (see web/shells/chooser/link.ts). */
function linkTo(
  publicUrl: string,
  { channelId, groupId, messageId }: Pick<Place, "channelId" | "groupId"> & { messageId: string },
): string {
  const path = groupId === null ? `direct/${channelId}` : `groups/${groupId}/channels/${channelId}`;
  return `fanfare://${new URL(publicUrl).host}/${path}?message=${messageId}`;
}
