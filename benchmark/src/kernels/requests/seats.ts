import { lightServer, readBuffer, socketIoPath, type LightServer } from "../../receivers/light-socket.ts";
import { PacketCache } from "../../receivers/packet-cache.ts";
import type { SocketIoDialect } from "../../targets/plugin.ts";
import { loadDialect, type DialectRef } from "../../targets/plugins.ts";
import { Member, type Answer, type MemberContext, type MemberHandler, type MemberPlace } from "./member.ts";
import type { RequestOutcome } from "./operation.ts";

/** The platform answers at most 256 concurrent calls per connection. */
export const MAX_UNANSWERED_PER_CONNECTION = 200;
const WINDOW = 32;
const MAX_ATTEMPTS = 3;
const TIMEOUT_MS = 15_000;
const REOPEN_MS = 500;
/** After a rejection without a retry time, or a lost connection. */
const RETRY_MS = 100;

/** The servers that members connect to. */
export interface PlaceSetup {
  urls: readonly string[];
  /** The IP address of each. */
  addresses: readonly string[];
  dialect: DialectRef;
  /** Of the messages that members recognize. */
  runId: string;
}

export interface SeatSetup extends PlaceSetup {
  /** Per sender. */
  tokens: readonly string[];
  /** Default: the system chooses. */
  localAddresses?: readonly (string | undefined)[];
  /** What is due above this number of unanswered calls is not sent; default: no limit. */
  maxUnanswered?: number;
  /** Lost connections are reopened, forever. */
  reopens?: boolean;
}

interface Seat {
  place: MemberPlace;
  member: Member;
  /** Calls in flight, by number. */
  readonly unanswered: Map<number, (outcome: RequestOutcome) => void>;
}

/** What sees the events of a sender. */
type Observer = Pick<MemberHandler, "messages" | "resync"> & { ended?: () => void };

/** The connected members of a thread, who make calls. */
export class Seats {
  /** Lost connections by code. */
  readonly errors: Record<string, number> = {};
  readonly #setup: SeatSetup;
  readonly #observerOf: (sender: number) => Observer;
  readonly #seats = new Map<number, Seat>();
  #context: MemberContext | undefined;
  #calls = 0;
  #isClosing = false;

  constructor(setup: SeatSetup, observerOf: (sender: number) => Observer = () => ({})) {
    this.#setup = setup;
    this.#observerOf = observerOf;
  }

  /**
   * Connects members, a few at a time, and retries failures.
   * @throws {Error} with the code of the first that could not be connected
   */
  async connect(senders: readonly number[]): Promise<void> {
    const { tokens, localAddresses = [] } = this.#setup;
    const servers = await lightServers(this.#setup);
    this.#context = await memberContext(this.#setup);
    let next = 0;
    const lane = async () => {
      while (next < senders.length) {
        const sender = senders[next++]!;
        const server = servers[sender % servers.length]!;
        const place = { server, token: tokens[sender]!, localAddress: localAddresses[sender] };
        await this.#open(sender, place, MAX_ATTEMPTS);
      }
    };
    await Promise.all(Array.from({ length: Math.min(WINDOW, senders.length) }, lane));
  }

  /** @returns false if it can't be sent; `done` will not be called */
  call(sender: number, action: string, params: object, done: (outcome: RequestOutcome) => void): boolean {
    const { member, unanswered } = this.#seats.get(sender)!;
    if (unanswered.size >= (this.#setup.maxUnanswered ?? Infinity)) return false;
    const id = this.#calls++;
    if (!member.call(id, action, params)) return false;
    unanswered.set(id, done);
    return true;
  }

  /** These connections stop reading, like hung clients. */
  stall(senders: readonly number[]): void {
    for (const sender of senders) this.#seats.get(sender)!.member.stall();
  }

  close(): void {
    this.#isClosing = true;
    for (const { member } of this.#seats.values()) member.destroy();
  }

  async #open(sender: number, place: MemberPlace, attempts: number): Promise<void> {
    try {
      await this.#tryOpen(sender, place);
    } catch (error) {
      if (attempts <= 1) throw error;
      await this.#open(sender, place, attempts - 1);
    }
  }

  #tryOpen(sender: number, place: MemberPlace): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (code: string) => {
        clearTimeout(timer);
        reject(new Error(`A sending member could not connect: ${code}.`));
      };
      const timer = setTimeout(() => {
        member.destroy();
        fail("CONNECT_TIMEOUT");
      }, TIMEOUT_MS);
      const unanswered: Seat["unanswered"] = new Map();
      const { ended, ...observer } = this.#observerOf(sender);
      let isReady = false;
      const member = new Member(this.#context!, place, {
        ...observer,
        ready: () => {
          isReady = true;
          clearTimeout(timer);
          this.#seats.set(sender, { place, member, unanswered });
          resolve();
        },
        answered: (answer) => {
          const done = unanswered.get(answer.id);
          unanswered.delete(answer.id);
          done?.(outcomeOf(answer));
        },
        ended: (code) => {
          if (!isReady) return fail(code);
          if (this.#isClosing) return;
          ended?.();
          this.#lost(sender, code);
        },
      });
    });
  }

  #lost(sender: number, code: string): void {
    const { place, unanswered } = this.#seats.get(sender)!;
    this.errors[code] = (this.errors[code] ?? 0) + 1;
    const lost = [...unanswered.values()];
    unanswered.clear();
    for (const done of lost) done({ ok: false, code, isAnswer: false, retryAfterMs: RETRY_MS });
    const reopen = () => {
      if (!this.#isClosing) void this.#tryOpen(sender, place).catch(() => setTimeout(reopen, REOPEN_MS));
    };
    if (this.#setup.reopens) setTimeout(reopen, REOPEN_MS);
  }
}

export async function lightServers({ urls, addresses, dialect }: PlaceSetup): Promise<LightServer[]> {
  const path = socketIoPath((await loadDialect(dialect)).path);
  return urls.map((url, i) => lightServer(new URL(url), addresses[i]!, path));
}

export async function memberContext({ dialect: ref, runId }: PlaceSetup): Promise<MemberContext> {
  const dialect = (await loadDialect(ref)) as SocketIoDialect;
  return { buffer: readBuffer(), dialect, runId, cache: new PacketCache() };
}

function outcomeOf(answer: Answer): RequestOutcome {
  if (answer.ok) return { ok: true };
  const { type, retryable, data } = answer.error;
  const { retryAfterMs } = (data ?? {}) as { retryAfterMs?: number };
  return {
    ok: false,
    code: type,
    isAnswer: true,
    retryAfterMs: retryAfterMs ?? RETRY_MS,
    lacksRetryTime: retryable && !(retryAfterMs! > 0),
  };
}
