import { setTimeout as delay } from "node:timers/promises";
import { FanfareClient, FanfareError } from "@fanfare/client";
import type { Crowd } from "./crowd.ts";

/** After the service works for all again; the report has the actual time. */
const TRUE_AFTER_MS = 60_000;
const RETRY_MS = 250;
/** A message that hasn't arrived by then is not in flight. */
const RECEIVED_AFTER_MS = 500;
const DONE_ALREADY: ReadonlySet<string> = new Set(["MEMBER_NOT_FOUND"]);

/**
 * A user who is removed from the group and rejoins during faults: must receive messages exactly while they
 * are a member, even if the process that handled the change was killed.
 */
export class Rejoiner {
  readonly #crowd: Crowd;
  readonly #client: FanfareClient;
  readonly #received = new Set<string>();
  #userId = "";
  #isIn = false;
  #change: Promise<void> = Promise.resolve();

  private constructor(crowd: Crowd, urls: readonly string[]) {
    this.#crowd = crowd;
    this.#client = new FanfareClient({ url: urls });
    this.#client.on("message.created", ({ messages }) => {
      for (const { id } of messages) this.#received.add(id);
    });
  }

  static async start(crowd: Crowd, urls: readonly string[]): Promise<Rejoiner> {
    const rejoiner = new Rejoiner(crowd, urls);
    const { user } = await rejoiner.#client.createGuest({ nickname: "rejoiner" });
    rejoiner.#userId = user.id;
    await rejoiner.#client.connect();
    return rejoiner;
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
      if (this.#client.state === "online" && (await this.#receives()) === this.#isIn) return [];
      if (performance.now() > deadline) break;
      await delay(RETRY_MS);
    }
    const place = this.#isIn
      ? "in the group but receives nothing of it"
      : "out of the group but still receives its messages";
    return [`the rejoiner ${this.#userId} (${this.#client.state}) is ${place}`];
  }

  close(): void {
    this.#client.close();
  }

  async #receives(): Promise<boolean> {
    const { members, rooms } = this.#crowd;
    const { acknowledged } = await members[0]!.send(rooms[0]!.channelId, "probe");
    if (acknowledged === undefined) return !this.#isIn;
    const deadline = performance.now() + RECEIVED_AFTER_MS;
    while (performance.now() < deadline && !this.#received.has(acknowledged.id)) await delay(10);
    const received = this.#received.has(acknowledged.id);
    this.#received.clear();
    return received;
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
