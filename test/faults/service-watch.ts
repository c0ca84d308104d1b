import { setTimeout as delay } from "node:timers/promises";
import type { Crowd, Room } from "./crowd.ts";
import type { LedgerEntry } from "./ledger.ts";
import type { Member } from "./member.ts";

/** A round that takes longer than this counts as an outage. */
const SLOW_MS = 1000;
const PAUSE_MS = 250;
const POLL_MS = 10;
/** Beyond this a member is stuck. */
const STUCK_AFTER_MS = 60_000;
/** After this the log says what is being waited for. */
const LOG_AFTER_MS = 5_000;

export class StuckError extends Error {
  override readonly name = "StuckError";
}

interface Probe {
  room: Room;
  member: Member;
  entry: LedgerEntry | null;
}

/** Checks that the service works for all: every member connected, and a new message of each received by all. */
export class ServiceWatch {
  readonly #crowd: Crowd;
  readonly #onProgress: (line: string) => void;

  constructor(crowd: Crowd, onProgress: (line: string) => void) {
    this.#crowd = crowd;
    this.#onProgress = onProgress;
  }

  /**
   * Watches until the service works for all after `repaired`.
   * @returns how long it took until the last moment at which it did not, in milliseconds
   * @throws {StuckError} if a member is without service for a minute after the repair
   */
  async untilBack(repaired: Promise<void>): Promise<number> {
    const beganMs = performance.now();
    let repairedMs = Infinity;
    const noteRepair = async (): Promise<void> => {
      await repaired;
      repairedMs = performance.now();
    };
    const repair = noteRepair();
    repair.catch(() => undefined);
    let backAfterMs = 0;
    for (;;) {
      const roundMs = performance.now();
      const afterRepair = repairedMs <= roundMs;
      const wasThere = await this.#round(() => performance.now() - Math.max(repairedMs, roundMs));
      const tookMs = performance.now() - roundMs;
      const good = wasThere && tookMs <= SLOW_MS;
      if (!good || backAfterMs === 0) backAfterMs = performance.now() - beganMs;
      if (afterRepair && good) break;
      await delay(PAUSE_MS);
    }
    await repair;
    return backAfterMs;
  }

  /** Resolves when all new messages have arrived, with whether every member was connected at the start. */
  async #round(waitedMs: () => number): Promise<boolean> {
    const allOnline = this.#crowd.members.every(({ client }) => client.state === "online");
    const probes = this.#crowd.members.flatMap((member) =>
      this.#crowd.roomsOf(member).map((room) => this.#send(member, room)),
    );
    let isLogged = false;
    while (!probes.every(arrived) || this.#crowd.members.some(({ client }) => client.state !== "online")) {
      if (!isLogged && waitedMs() > LOG_AFTER_MS) {
        isLogged = true;
        this.#onProgress(`  still waiting: ${this.#whoIsStuck(probes)}`);
      }
      if (waitedMs() > STUCK_AFTER_MS) throw new StuckError(this.#whoIsStuck(probes));
      await delay(POLL_MS);
    }
    return allOnline;
  }

  /** Resends a message that the SDK gave up. */
  #send(member: Member, room: Room): Probe {
    const probe: Probe = { room, member, entry: null };
    const trySend = async (): Promise<void> => {
      while (probe.entry === null) {
        const entry = await member.send(room.channelId, "probe");
        if (entry.acknowledged !== undefined) probe.entry = entry;
        else await delay(PAUSE_MS);
        if (member.client.state === "closed") return;
      }
    };
    void trySend();
    return probe;
  }

  #whoIsStuck(probes: readonly Probe[]): string {
    const offline = this.#crowd.members
      .filter(({ client }) => client.state !== "online")
      .map(({ name, client }) => `${name} is ${client.state}`);
    const waiting = probes.flatMap((probe) => {
      if (probe.entry === null)
        return [`${probe.member.name} has no acknowledgement in ${probe.room.channelId}`];
      const without = probe.room.members
        .filter((member) => !hasReceived(member, probe))
        .map(({ name }) => name);
      return without.length === 0 ? [] : [`"${probe.entry.text}" has not reached ${without.join(", ")}`];
    });
    return [...offline, ...waiting].join("; ");
  }
}

function arrived(probe: Probe): boolean {
  return probe.entry !== null && probe.room.members.every((member) => hasReceived(member, probe));
}

function hasReceived(member: Member, { room, entry }: Probe): boolean {
  const id = entry!.acknowledged!.id;
  return member.views.get(room.channelId)!.messages.findLast((message) => message.id === id) !== undefined;
}
