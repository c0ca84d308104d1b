import type { GatewayReport, PresenceStore, PresenceStoreTimes } from "./presence-store.ts";

interface Gateway {
  seenAtMs: number;
  number: number;
  userIds: Set<string>;
}

/** The store of a single process: it disappears together with the connections. */
export class MemoryPresenceStore implements PresenceStore {
  readonly #times: PresenceStoreTimes;
  readonly #onWork: () => void;
  readonly #gateways = new Map<string, Gateway>();
  /** Forgotten gateways and until when their reports are rejected, earliest first. */
  readonly #forgotten = new Map<string, number>();
  /** The gateways of each connected user. */
  readonly #users = new Map<string, Set<string>>();
  /** When the change of a user is due to be published, oldest first. */
  readonly #changed = new Map<string, number>();
  /** Until when the change of a user is claimed. */
  readonly #claimed = new Map<string, number>();

  #sweptAtMs = 0;
  #sweepFromMs = 0;

  /** @param onWork called when there is a new change or gateway */
  constructor(times: PresenceStoreTimes, onWork: () => void = () => {}) {
    this.#times = times;
    this.#onWork = onWork;
  }

  get hasChanges(): boolean {
    return this.#changed.size + this.#claimed.size > 0;
  }

  get hasGateways(): boolean {
    return this.#gateways.size + this.#forgotten.size > 0;
  }

  async report({ gatewayId, number, connected, disconnected }: GatewayReport): Promise<boolean> {
    let gateway = this.#gateways.get(gatewayId);
    if (gateway === undefined) {
      if (number > 1 || this.#forgotten.has(gatewayId)) return false;
      gateway = { seenAtMs: 0, number: 0, userIds: new Set() };
      this.#gateways.set(gatewayId, gateway);
      this.#onWork();
    } else if (this.#isSilent(gateway)) return false;
    if (number <= gateway.number) return true;
    gateway.number = number;
    gateway.seenAtMs = Date.now();
    for (const userId of connected) {
      gateway.userIds.add(userId);
      const places = this.#users.get(userId);
      if (places !== undefined) places.add(gatewayId);
      else {
        this.#users.set(userId, new Set([gatewayId]));
        this.#note(userId);
      }
    }
    for (const userId of disconnected) {
      if (gateway.userIds.delete(userId)) this.#remove(userId, gatewayId);
    }
    return true;
  }

  async filterConnected(userIds: readonly string[]): Promise<Set<string>> {
    return new Set(userIds.filter((userId) => this.#users.has(userId)));
  }

  async countConnected(): Promise<number> {
    return this.#users.size;
  }

  async recordChange(userId: string): Promise<void> {
    this.#note(userId);
  }

  async claimChanged(limit: number): Promise<string[]> {
    const nowMs = Date.now();
    for (const [userId, untilMs] of this.#claimed) {
      if (untilMs > nowMs) break;
      this.#claimed.delete(userId);
      this.#changed.set(userId, nowMs);
    }
    const claimed: string[] = [];
    for (const [userId, dueAtMs] of this.#changed) {
      if (dueAtMs > nowMs || claimed.length === limit) break;
      if (this.#claimed.has(userId)) continue;
      this.#changed.delete(userId);
      this.#claimed.set(userId, nowMs + this.#times.claimMs);
      claimed.push(userId);
    }
    return claimed;
  }

  async settle(userIds: readonly string[]): Promise<void> {
    for (const userId of userIds) this.#claimed.delete(userId);
  }

  async expireGateways(limit: number): Promise<number> {
    const nowMs = Date.now();
    const { sweepGapMs, gatewayTimeoutMs, deadGatewayTtlMs } = this.#times;
    for (const [gatewayId, untilMs] of this.#forgotten) {
      if (untilMs > nowMs) break;
      this.#forgotten.delete(gatewayId);
    }
    if (nowMs - this.#sweptAtMs > sweepGapMs) this.#sweepFromMs = nowMs + gatewayTimeoutMs;
    this.#sweptAtMs = nowMs;
    if (nowMs < this.#sweepFromMs) return 0;
    for (const [gatewayId, gateway] of this.#gateways) {
      if (!this.#isSilent(gateway)) continue;
      const userIds = [...gateway.userIds.values().take(limit)];
      for (const userId of userIds) {
        gateway.userIds.delete(userId);
        this.#remove(userId, gatewayId);
      }
      if (gateway.userIds.size === 0) {
        this.#gateways.delete(gatewayId);
        this.#forgotten.set(gatewayId, nowMs + deadGatewayTtlMs);
      }
      return userIds.length;
    }
    return 0;
  }

  #isSilent({ seenAtMs }: Gateway): boolean {
    return Date.now() - seenAtMs > this.#times.gatewayTimeoutMs;
  }

  #remove(userId: string, gatewayId: string): void {
    const places = this.#users.get(userId);
    if (!places?.delete(gatewayId) || places.size > 0) return;
    this.#users.delete(userId);
    this.#note(userId);
  }

  #note(userId: string): void {
    if (this.#changed.has(userId)) return;
    this.#changed.set(userId, Date.now() + this.#times.publishDelayMs);
    this.#onWork();
  }
}
