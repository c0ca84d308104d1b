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
import { namesIn } from "./names.ts";
import { createPushes, type Push, type Pushes } from "./pushes.ts";
import type { SubscriptionDocument, SubscriptionRepository } from "./subscription.repository.ts";
import { pushText } from "./texts.ts";
import { createVapidKeys } from "./vapid-keys.ts";

interface PusherOptions {
  node: NodeContext;
  settings: SettingRepository;
  preferences: PreferencesRepository;
  subscriptions: SubscriptionRepository;
  pushes: Pushes;
  /** null: no emails are sent about missed messages. */
  noteMissed: NoteMissed | null;
}

type Stored = DomainEvents["message.stored"];

interface Reached {
  locale: Locale;
  subscriptions: SubscriptionDocument[];
}

/** Decides which users get a push about new messages. Cheap checks come first, and suffice for most messages. */
class Pusher {
  readonly #options: PusherOptions;
  readonly #massMentions: ReturnType<typeof createMassMentions>;
  #noneUntilMs = 0;

  constructor(options: PusherOptions) {
    this.#options = options;
    const { node, pushes, noteMissed } = options;
    this.#massMentions = createMassMentions({
      node,
      push: async (place, candidates) => {
        await Promise.all([noteMissed?.(place, candidates), this.#pushToCandidates(place, candidates)]);
      },
      isBusy: pushes.isBusy,
    });
  }

  /** Call this after a subscription was added. */
  subscribed(): void {
    this.#noneUntilMs = 0;
  }

  async push(stored: Stored): Promise<void> {
    const { node, settings, preferences, noteMissed } = this.#options;
    const isPushing = await this.#hasSubscriptions();
    if (!isPushing && noteMissed === null) return;
    // Users who want all messages get no emails about them.
    const sources = { node, settings: isPushing ? settings : null, preferences };
    const candidates = await pushCandidates(sources, stored);
    await Promise.all([
      noteMissed?.(stored, candidates),
      isPushing && this.#pushToCandidates(stored, candidates),
    ]);
    await this.#massMentions.add(stored, isPushing);
  }

  async #hasSubscriptions(): Promise<boolean> {
    if (Date.now() < this.#noneUntilMs) return false;
    if (!(await this.#options.subscriptions.isEmpty())) return true;
    this.#noneUntilMs = Date.now() + NO_SUBSCRIPTIONS_TTL_MS;
    return false;
  }

  /** A reminder that the user set: settings don't matter. */
  async remind(place: Place, userId: string, message: Message): Promise<void> {
    const candidates = await this.#filterUsers([{ userId, message, reason: "reminder" }], (userIds) =>
      this.#subscribedAmong(userIds),
    );
    const away = await this.#filterUsers(candidates, (userIds) => this.#offlineAmong(userIds));
    if (away.length > 0) await this.#send(place, away);
  }

  async #pushToCandidates(place: Place, all: readonly Candidate[]): Promise<void> {
    let candidates = await this.#filterUsers(all, (userIds) => this.#subscribedAmong(userIds));
    candidates = await this.#filterBySettings(place, candidates);
    candidates = await this.#filterUsers(candidates, (userIds) => this.#offlineAmong(userIds));
    candidates = await this.#filterUsers(candidates, (userIds) =>
      this.#viewersAmong(place.channelId, userIds),
    );
    candidates = await filterBlocked(this.#options.node.services, candidates);
    if (candidates.length > 0) await this.#send(place, candidates);
  }

  async #filterUsers(
    candidates: readonly Candidate[],
    among: (userIds: readonly string[]) => Promise<readonly string[]>,
  ): Promise<Candidate[]> {
    if (candidates.length === 0) return [];
    const userIds = [...new Set(candidates.map(({ userId }) => userId))].slice(0, USERS_PER_BATCH);
    const kept = new Set((await boundedMap(chunks(userIds, LIMITS.usersPerLookup), 1, among)).flat());
    return candidates.filter(({ userId }) => kept.has(userId));
  }

  async #subscribedAmong(userIds: readonly string[]): Promise<string[]> {
    const found = await this.#options.subscriptions.listOf(userIds);
    return found.map(({ userId }) => userId);
  }

  async #filterBySettings(place: Place, candidates: readonly Candidate[]): Promise<Candidate[]> {
    if (candidates.length === 0) return [];
    const userIds = [...new Set(candidates.map(({ userId }) => userId))];
    const { settings, preferences } = this.#options;
    const [wanted, quietHours] = await Promise.all([
      filterWanted(settings, place, candidates),
      preferences.listQuietHours(userIds),
    ]);
    const nowMs = Date.now();
    const isQuiet = ({ quietHours: hours }: (typeof quietHours)[number]): boolean =>
      hours !== undefined && hours !== null && isInQuietHours(hours, nowMs);
    const quiet = new Set(quietHours.filter(isQuiet).map(({ _id }) => _id));
    return wanted.filter(({ userId }) => !quiet.has(userId));
  }

  async #offlineAmong(userIds: readonly string[]): Promise<string[]> {
    return (await this.#options.node.services.presence.listAway({ userIds: [...userIds] })).userIds;
  }

  async #viewersAmong(channelId: string, userIds: readonly string[]): Promise<string[]> {
    const seeing = await boundedMap(userIds, QUERY_CONCURRENCY, async (userId) =>
      can(await this.#options.node.access.get(userId, { channelId }), "view") ? [userId] : [],
    );
    return seeing.flat();
  }

  async #send(place: Place, candidates: readonly Candidate[]): Promise<void> {
    const reached = await this.#reach([...new Set(candidates.map(({ userId }) => userId))]);
    const { channelId, groupId } = place;
    const messages = new Set(candidates.map(({ message }) => message));
    const names = await namesIn(this.#options.node.services, groupId, messages);
    const pushes: Push[] = [];
    for (const { userId, message, reason } of candidates) {
      const user = reached.get(userId);
      if (user === undefined) continue;
      const text = pushText(user.locale, reason, message, names);
      const payload = { ...text, channelId, groupId, messageId: message.id };
      for (const subscription of user.subscriptions)
        pushes.push({ subscription, messageId: message.id, payload });
    }
    await this.#options.pushes.send(pushes);
  }

  /** Only subscriptions of active sessions, even if the event of a session's end was lost. */
  async #reach(userIds: readonly string[]): Promise<Map<string, Reached>> {
    const { node, subscriptions } = this.#options;
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
  }
}

type PushOptions = Omit<PusherOptions, "pushes">;

/** Web push. */
export function createPush(options: PushOptions) {
  const { node, subscriptions } = options;
  const vapid = createVapidKeys({ node, subscriptions });
  const outbound = new Outbound({ userAgent: "Fanfare-Push", allow: node.config.outboundAllow });
  const pushes = createPushes({ node, subscriptions, vapid, outbound });
  const pusher = new Pusher({ ...options, pushes });
  return {
    vapid,
    subscribed: () => pusher.subscribed(),
    stored: (stored: DomainEvents["message.stored"]) => pusher.push(stored),
    remind: (place: Place, userId: string, message: Message) => pusher.remind(place, userId, message),
    stop: () => outbound.close(),
  };
}
