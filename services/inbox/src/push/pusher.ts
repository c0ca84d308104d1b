import type { Locale } from "@fanfare/contract";
import { boundedMap, chunks, type DomainEvents, can, type NodeContext } from "@fanfare/kernel";
import { Outbound } from "@fanfare/outbound";
import { QUERY_CONCURRENCY, NO_SUBSCRIPTIONS_TTL_MS, USERS_PER_BATCH } from "../constants.ts";
import type { SettingRepository } from "../setting.repository.ts";
import { type Candidate, createMassMentions, pushCandidates, wantsPush } from "./candidates.ts";
import { createPushes, type Push, type Pushes } from "./pushes.ts";
import type { SubscriptionDocument, SubscriptionRepository } from "./subscription.repository.ts";
import { pushText } from "./texts.ts";
import { loadVapidKeys, type VapidKeys } from "./vapid-keys.ts";

interface PusherOptions {
  node: NodeContext;
  settings: SettingRepository;
  subscriptions: SubscriptionRepository;
  pushes: Pushes;
}

type Stored = DomainEvents["message.stored"];
type Place = Pick<Stored, "channelId" | "groupId">;

interface Reached {
  locale: Locale;
  subscriptions: SubscriptionDocument[];
}

const USERS_PER_CALL = 100;

/** Decides which users get a push about new messages. Cheap checks come first, and suffice for most messages. */
class Pusher {
  readonly #options: PusherOptions;
  readonly #massMentions: ReturnType<typeof createMassMentions>;
  #noneUntilMs = 0;

  constructor(options: PusherOptions) {
    this.#options = options;
    const { node, pushes } = options;
    this.#massMentions = createMassMentions({
      node,
      push: (place, candidates) => this.#pushToCandidates(place, candidates),
      isBusy: pushes.isBusy,
    });
  }

  /** Call this after a subscription was added. */
  subscribed(): void {
    this.#noneUntilMs = 0;
  }

  async push(stored: Stored): Promise<void> {
    const { node, settings, subscriptions } = this.#options;
    if (Date.now() < this.#noneUntilMs) return;
    if (await subscriptions.isEmpty()) {
      this.#noneUntilMs = Date.now() + NO_SUBSCRIPTIONS_TTL_MS;
      return;
    }
    await this.#pushToCandidates(stored, await pushCandidates(node, settings, stored));
    await this.#massMentions.add(stored);
  }

  async #pushToCandidates(place: Place, all: readonly Candidate[]): Promise<void> {
    let candidates = await this.#filterUsers(all, (userIds) => this.#subscribedAmong(userIds));
    candidates = await this.#filterBySettings(place, candidates);
    candidates = await this.#filterUsers(candidates, (userIds) => this.#offlineAmong(userIds));
    candidates = await this.#filterUsers(candidates, (userIds) =>
      this.#viewersAmong(place.channelId, userIds),
    );
    candidates = await this.#filterBlocked(candidates);
    if (candidates.length > 0) await this.#send(place, candidates);
  }

  async #filterUsers(
    candidates: readonly Candidate[],
    among: (userIds: readonly string[]) => Promise<readonly string[]>,
  ): Promise<Candidate[]> {
    if (candidates.length === 0) return [];
    const userIds = [...new Set(candidates.map(({ userId }) => userId))].slice(0, USERS_PER_BATCH);
    const kept = new Set((await boundedMap(chunks(userIds, USERS_PER_CALL), 1, among)).flat());
    return candidates.filter(({ userId }) => kept.has(userId));
  }

  async #subscribedAmong(userIds: readonly string[]): Promise<string[]> {
    const found = await this.#options.subscriptions.listOf(userIds);
    return found.map(({ userId }) => userId);
  }

  async #filterBySettings(
    { channelId, groupId }: Place,
    candidates: readonly Candidate[],
  ): Promise<Candidate[]> {
    if (candidates.length === 0) return [];
    const userIds = [...new Set(candidates.map(({ userId }) => userId))];
    const places = groupId === null ? [channelId] : [channelId, groupId];
    const found = await this.#options.settings.findFor(userIds, places);
    const nowMs = Date.now();
    return candidates.filter(({ userId, reason }) =>
      wantsPush(reason, found.get(`${userId}:${groupId}`), found.get(`${userId}:${channelId}`), nowMs),
    );
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

  /** Excludes users who have blocked the author. */
  async #filterBlocked(candidates: readonly Candidate[]): Promise<Candidate[]> {
    const byAuthor = Map.groupBy(candidates, ({ message }) => message.authorId);
    const kept = await boundedMap([...byAuthor], QUERY_CONCURRENCY, ([authorId, some]) =>
      this.#filterUsers(some, async (userIds) => {
        const params = { userId: authorId, userIds: [...userIds] };
        const blocked = new Set((await this.#options.node.services.user.listBlockedAmong(params)).userIds);
        return userIds.filter((userId) => !blocked.has(userId));
      }),
    );
    return kept.flat();
  }

  async #send({ channelId, groupId }: Place, candidates: readonly Candidate[]): Promise<void> {
    const reached = await this.#reach([...new Set(candidates.map(({ userId }) => userId))]);
    const names = await this.#names(candidates);
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
    for (const some of chunks(userIds, USERS_PER_CALL)) {
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

  async #names(candidates: readonly Candidate[]): Promise<Map<string, string>> {
    const messages = new Set(candidates.map(({ message }) => message));
    const userIds = new Set(
      [...messages].flatMap(({ authorId, mentions }) => [authorId, ...(mentions?.userIds ?? [])]),
    );
    const names = new Map<string, string>();
    for (const some of chunks([...userIds], USERS_PER_CALL)) {
      const { users } = await this.#options.node.services.user.listNames({ userIds: some });
      for (const { userId, name } of users) names.set(userId, name);
    }
    return names;
  }
}

interface PushOptions {
  node: NodeContext;
  settings: SettingRepository;
  subscriptions: SubscriptionRepository;
}

/** Web push. Disabled when no keys are configured. */
export function createPush({ node, settings, subscriptions }: PushOptions) {
  let running: { vapid: VapidKeys; outbound: Outbound } | null = null;
  const pushes = createPushes({ node, subscriptions, running: () => running });
  const pusher = new Pusher({ node, settings, subscriptions, pushes });
  return {
    vapid: () => running?.vapid ?? null,
    subscribed: () => pusher.subscribed(),
    stored: async (stored: DomainEvents["message.stored"]): Promise<void> => {
      if (running !== null) await pusher.push(stored);
    },
    async start(): Promise<void> {
      const vapid = await loadVapidKeys(node.config);
      if (vapid === null) return;
      running = {
        vapid,
        outbound: new Outbound({ userAgent: "Fanfare-Push", allow: node.config.outboundAllow }),
      };
    },
    async stop(): Promise<void> {
      await running?.outbound.close();
    },
  };
}
