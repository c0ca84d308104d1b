import { setTimeout as delay } from "node:timers/promises";
import { FanfareClient, FanfareError } from "@fanfare/client";
import type { Crowd } from "./crowd.ts";

/** After the service works for all again; the report has the actual time. */
const TRUE_AFTER_MS = 60_000;
const RETRY_MS = 250;
/** A message that hasn't arrived by then is not in flight. */
const HEARD_AFTER_MS = 500;
const DONE_ALREADY: ReadonlySet<string> = new Set(["MEMBER_NOT_FOUND"]);

/**
 * A user who is removed from the group and rejoins during faults: receives messages exactly while a member,
 * whatever happened to the process that was told.
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

  /** Joins or is removed: repeated until it is acknowledged. */
  move(): void {
    this.#change = this.#moveAfter(this.#change);
    // `untilTrue` awaits it and sees the error; if a run ends early, nothing does.
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
   * Waits until the user receives the group's messages exactly when a member.
   * @returns what is still wrong after a minute; empty if nothing
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
