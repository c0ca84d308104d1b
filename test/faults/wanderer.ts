import { setTimeout as delay } from "node:timers/promises";
import { FanfareClient, FanfareError } from "@fanfare/client";
import type { Crowd } from "./crowd.ts";

/** After the service is back for all; the report says how long it took. */
const TRUE_AFTER_MS = 60_000;
const RETRY_MS = 250;
/** A message that is not here by then is not on its way. */
const HEARD_AFTER_MS = 500;
const DONE_ALREADY: ReadonlySet<string> = new Set(["MEMBER_NOT_FOUND"]);

/**
 * Somebody who is put out of the group, and comes again, while faults happen: whoever is in hears, whoever is out hears
 * nothing, whatever became of the process that was told.
 */
export class Wanderer {
  readonly #crowd: Crowd;
  readonly #client: FanfareClient;
  readonly #heard = new Set<string>();
  #userId = "";
  #isIn = false;
  #change: Promise<void> = Promise.resolve();

  private constructor(crowd: Crowd, urls: readonly string[]) {
    this.#crowd = crowd;
    this.#client = new FanfareClient({ url: urls });
    this.#client.on("message.created", ({ messages }) => {
      for (const { id } of messages) this.#heard.add(id);
    });
  }

  static async start(crowd: Crowd, urls: readonly string[]): Promise<Wanderer> {
    const wanderer = new Wanderer(crowd, urls);
    const { user } = await wanderer.#client.createGuest({ nickname: "wanderer" });
    wanderer.#userId = user.id;
    await wanderer.#client.connect();
    return wanderer;
  }

  /** Comes or is put out: tried until it is acknowledged. */
  move(): void {
    this.#change = this.#moveAfter(this.#change);
    // Who waits for it hears of it; when a run ends early nobody does.
    this.#change.catch(() => undefined);
  }

  async #moveAfter(earlier: Promise<void>): Promise<void> {
    await earlier;
    const isIn = !this.#isIn;
    const { members, groupId, inviteCode } = this.#crowd;
    await untilAcknowledged(async () => {
      if (isIn) await this.#client.call("invite.accept", { code: inviteCode });
      else await members[0]!.client.call("group.kick", { groupId, userId: this.#userId });
    });
    this.#isIn = isIn;
  }

  /**
   * Waits until it hears the group exactly when it is in.
   * @returns what is not so after a minute; empty when all is right
   */
  async untilTrue(): Promise<string[]> {
    await this.#change;
    const deadline = performance.now() + TRUE_AFTER_MS;
    for (;;) {
      if (this.#client.state === "online" && (await this.#hears()) === this.#isIn) return [];
      if (performance.now() > deadline) break;
      await delay(RETRY_MS);
    }
    const place = this.#isIn ? "in the group and does not hear it" : "out of the group and still hears it";
    return [`the wanderer ${this.#userId} (${this.#client.state}) is ${place}`];
  }

  close(): void {
    this.#client.close();
  }

  async #hears(): Promise<boolean> {
    const { members, rooms } = this.#crowd;
    const { acknowledged } = await members[0]!.send(rooms[0]!.channelId, "probe");
    if (acknowledged === undefined) return !this.#isIn;
    const deadline = performance.now() + HEARD_AFTER_MS;
    while (performance.now() < deadline && !this.#heard.has(acknowledged.id)) await delay(10);
    const heard = this.#heard.has(acknowledged.id);
    this.#heard.clear();
    return heard;
  }
}

async function untilAcknowledged(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof FanfareError && DONE_ALREADY.has(error.type)) return;
      if (!(error instanceof FanfareError) || !error.retryable) throw error;
      await delay(RETRY_MS);
    }
  }
}
