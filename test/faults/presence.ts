import { setTimeout as delay } from "node:timers/promises";
import { FanfareClient } from "@fanfare/client";
import type { Params, Result, SessionTokens } from "@fanfare/contract";
import type { Crowd } from "./crowd.ts";
import type { Member } from "./member.ts";

/** After the service works for all again; the report has the actual time. */
const TRUE_AFTER_MS = 60_000;
const POLL_MS = 50;
const RETRY_MS = 500;

type Status = Result<"presence.watch">["presences"][number]["status"];

/**
 * One member's view of the others, kept as an application would: watched, updated by events, and watched again
 * in time.
 */
class PresenceView {
  readonly #member: Member;
  readonly #statuses = new Map<string, Status>();
  readonly #userIds: Params<"presence.watch">["userIds"];
  #timer: NodeJS.Timeout | undefined;
  #watching = false;

  constructor(member: Member, userIds: readonly string[]) {
    this.#member = member;
    this.#userIds = userIds.filter((userId) => userId !== member.userId);
    const { client } = member;
    client.on("connection.changed", ({ state }) => state === "online" && void this.watch());
    client.on("resync", () => void this.watch());
    client.on("presence.changed", ({ presences }) => this.#take(presences));
  }

  /** Asks until it is answered; at most one request at a time. */
  async watch(): Promise<void> {
    if (this.#watching) return;
    this.#watching = true;
    clearTimeout(this.#timer);
    while (this.#member.client.state === "online") {
      try {
        const { presences, expiresInMs } = await this.#member.client.call("presence.watch", {
          userIds: this.#userIds,
        });
        this.#take(presences);
        this.#timer = setTimeout(() => void this.watch(), expiresInMs / 2).unref();
        break;
      } catch {
        await delay(RETRY_MS);
      }
    }
    this.#watching = false;
  }

  /** What this view has wrong. */
  errors(isOnline: (userId: string) => boolean): string[] {
    return this.#userIds.flatMap((userId) => {
      const status = this.#statuses.get(userId) ?? "unknown";
      if ((status === "online") === isOnline(userId) && status !== "unknown") return [];
      return [`${this.#member.name} sees ${userId} ${status}`];
    });
  }

  #take(presences: Result<"presence.watch">["presences"]): void {
    for (const { userId, status } of presences) this.#statuses.set(userId, status);
  }
}

/**
 * All members watch each other and a visitor who connects and disconnects with every fault: no offline user may
 * appear online.
 */
export class PresenceWatch {
  readonly #views: readonly PresenceView[];
  readonly #visitorId: string;
  readonly #urls: readonly string[];
  #tokens: SessionTokens;
  #visitor: FanfareClient | null = null;
  #visits = 0;

  private constructor(crowd: Crowd, urls: readonly string[], tokens: SessionTokens) {
    this.#urls = urls;
    this.#tokens = tokens;
    this.#visitorId = tokens.user.id;
    const userIds = [...crowd.members.map(({ userId }) => userId), this.#visitorId];
    this.#views = crowd.members.map((member) => new PresenceView(member, userIds));
  }

  static async start(crowd: Crowd, urls: readonly string[]): Promise<PresenceWatch> {
    const visitor = new FanfareClient({ url: urls[0]! });
    const tokens = await visitor.createGuest({ nickname: "visitor" });
    await visitor.call("invite.accept", { code: crowd.inviteCode });
    visitor.close();
    const watch = new PresenceWatch(crowd, urls, tokens);
    await Promise.all(watch.#views.map((view) => view.watch()));
    return watch;
  }

  /** The visitor connects to one of the gateways, or disconnects. */
  toggleVisitor(): void {
    if (this.#visitor !== null) {
      this.#visitor.close();
      this.#visitor = null;
      return;
    }
    const visitor = new FanfareClient({ url: this.#urls[this.#visits % this.#urls.length]! });
    this.#visits += 1;
    visitor.on("tokens.changed", (tokens) => tokens !== null && (this.#tokens = tokens));
    visitor.useTokens(this.#tokens);
    // It keeps retrying; `untilTrue` notices if it gives up.
    visitor.connect({ timeoutMs: 0 }).catch(() => undefined);
    this.#visitor = visitor;
  }

  /**
   * Waits until every member sees the correct presence of all others.
   * @returns what is still wrong after a minute; empty if nothing
   */
  async untilTrue(): Promise<string[]> {
    const isOnline = (userId: string): boolean => userId !== this.#visitorId || this.#visitor !== null;
    const deadline = performance.now() + TRUE_AFTER_MS;
    for (;;) {
      const errors = this.#views.flatMap((view) => view.errors(isOnline));
      if (errors.length === 0) return [];
      if (performance.now() > deadline) {
        const visitor = `the visitor ${this.#visitorId} is ${this.#visitor?.state ?? "away"}`;
        return [`presence is wrong: ${visitor}; ${errors.join("; ")}`];
      }
      await delay(POLL_MS);
    }
  }

  close(): void {
    this.#visitor?.close();
  }
}
