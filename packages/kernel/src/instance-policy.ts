import {
  ANSWERS_POLICY,
  type Branding,
  type Call,
  type InstancePolicy,
  type PolicyName,
  type StoredPolicy,
} from "@fanfare/contract";
import type { Config } from "./config.ts";

/** Cache TTL of the stored values, in case a `policy.changed` event was lost. */
const MAX_AGE_MS = 60_000;
/** After a failed read, cached values are used for this long before the next try. */
const RETRY_MS = 1_000;

interface Known {
  revision: number;
  policy: InstancePolicy;
  branding: Branding;
}

export type Policy = Pick<PolicyCache, "branding" | "fixed" | "get" | "merge" | "peek" | "reload">;

/** The policy of the instance, cached per process. The environment overrides values set by admins. */
export class PolicyCache {
  readonly #read: () => Promise<StoredPolicy>;
  readonly #config: Config["policy"];
  #known: Known | undefined;
  #readAtMs = 0;
  #invalidations = 0;
  #reading: Promise<void> | undefined;

  constructor(call: Call, config: Config["policy"]) {
    this.#read = () => call(ANSWERS_POLICY, {});
    this.#config = config;
  }

  /** The values set by the environment, which admins can't change. */
  get fixed(): readonly PolicyName[] {
    return Object.keys(this.#config.fixed) as PolicyName[];
  }

  /** The cached policy, without waiting: old values are refreshed in the background. undefined before the first read. */
  peek(): InstancePolicy | undefined {
    if (this.#known === undefined) return undefined;
    if (this.#isOld()) void this.get();
    return this.#known.policy;
  }

  /**
   * The current policy. Needs no I/O while the stored values are cached.
   * @throws {ServiceError} UNAVAILABLE if they were never read and can't be: the defaults could be less strict
   */
  async get(): Promise<InstancePolicy> {
    return (await this.#current()).policy;
  }

  /**
   * Reads the stored values, because events may have been lost.
   * @throws {ServiceError} unless they can be read
   */
  async reload(): Promise<void> {
    this.invalidate();
    while (this.#isOld())
      await (this.#reading ??= this.#refresh().finally(() => (this.#reading = undefined)));
  }

  /** How the instance presents itself. */
  async branding(): Promise<Branding> {
    return (await this.#current()).branding;
  }

  async #current(): Promise<Known> {
    if (this.#known !== undefined && !this.#isOld()) return this.#known;
    this.#reading ??= this.#refresh().finally(() => (this.#reading = undefined));
    try {
      await this.#reading;
    } catch (error) {
      if (this.#known === undefined) throw error;
      this.#readAtMs = Date.now() - MAX_AGE_MS + RETRY_MS;
    }
    return this.#known!;
  }

  async #refresh(): Promise<void> {
    const before = this.#invalidations;
    this.update(await this.#read());
    // The result can be older than the lost event.
    if (this.#invalidations !== before) this.#readAtMs = 0;
  }

  /** Replaces the cached values unless they are newer: results and events can arrive out of order. */
  update(stored: StoredPolicy): void {
    if (this.#known === undefined || stored.revision >= this.#known.revision)
      this.#known = {
        revision: stored.revision,
        policy: this.merge(stored),
        branding: brandingOf(stored),
      };
    this.#readAtMs = Date.now();
  }

  /** Invalidates the cached values, because an event may have been lost. */
  invalidate(): void {
    this.#readAtMs = 0;
    this.#invalidations += 1;
  }

  #isOld(): boolean {
    return Date.now() - this.#readAtMs >= MAX_AGE_MS;
  }

  /** The policy that results from `stored`, the environment and the defaults. */
  merge({ values }: StoredPolicy): InstancePolicy {
    return { ...this.#config.defaults, ...values, ...this.#config.fixed };
  }
}

const UNBRANDED: Branding = { name: "Fanfare", accentColor: null, landingText: "", logoUrl: null };

export function brandingOf({ branding }: StoredPolicy): Branding {
  return { ...UNBRANDED, ...branding };
}
