import { connectError } from "../../cli/exit.ts";
import { lightMembers, type LightReceiver, type OpenMember } from "../../receivers/light-receiver.ts";
import type { Answer } from "../../receivers/packet.ts";
import {
  allocateConnections,
  Count,
  ReceiverGroup,
  type ConnectionMemory,
  type Recorder,
} from "../../receivers/receiver-group.ts";
import type { Assignment, ReceiverObserver } from "../../receivers/receiver.ts";
import type { SocketIoDialect } from "../../targets/plugin.ts";
import { loadDialect, type DialectRef } from "../../targets/plugins.ts";
import { failure, type Done, type RequestOutcome } from "./operation.ts";

/** The platform answers at most 256 concurrent calls per connection. */
export const MAX_UNANSWERED_PER_CONNECTION = 200;
const WINDOW = 32;
const TIMEOUT_MS = 15_000;
const REOPEN_MS = 500;

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

/** Where senders record what they receive. */
export interface Receiving {
  tally: Recorder;
  connections: ConnectionMemory;
  /** The number of the first sender among all receiving connections; the others follow. */
  firstReceiver: number;
}

interface Seat {
  member: LightReceiver;
  /** Calls in flight, by number. */
  unanswered: Map<number, Done>;
}

/**
 * The connected members of a thread, who make calls.
 * @param receiving default: they don't decode events
 */
export function openSeats(setup: SeatSetup, receiving?: Receiving) {
  const { urls, tokens, localAddresses = [], maxUnanswered = Infinity, reopens } = setup;
  const { firstReceiver = 0, connections = allocateConnections(tokens.length) } = receiving ?? {};
  /** By sender. */
  const seats = new Map<number, Seat>();
  let group: ReceiverGroup | undefined;
  let calls = 0;

  function open(openMember: OpenMember, assignment: Assignment, observer: ReceiverObserver): LightReceiver {
    const unanswered: Seat["unanswered"] = new Map();
    const member = openMember(assignment, {
      online: (receiver) => observer.online(receiver),
      ...(receiving && {
        messages: (...received) => observer.messages!(...received),
        resync: (receiver) => observer.resync!(receiver),
      }),
      answered: (answer) => {
        const done = unanswered.get(answer.id);
        unanswered.delete(answer.id);
        done?.(outcomeOf(answer));
      },
      ended: (receiver, code) => {
        const lost = [...unanswered.values()];
        unanswered.clear();
        for (const done of lost) done(failure(code, { isAnswer: false }));
        observer.ended(receiver, code);
      },
    });
    seats.set(assignment.receiver - firstReceiver, { member, unanswered });
    return member;
  }

  return {
    /** By code. */
    get errors(): Readonly<Record<string, number>> {
      return group?.errors ?? {};
    },
    /**
     * Connects members, a few at a time, and retries failures.
     * @throws {ExitError} with the errors if some could not be connected
     */
    async connect(senders: readonly number[]): Promise<void> {
      const openMember = await membersOf(setup);
      group = new ReceiverGroup({
        open: (assignment, observer) => open(openMember, assignment, observer),
        tally: receiving?.tally ?? { record: () => false },
        connections,
        window: WINDOW,
        timeoutMs: TIMEOUT_MS,
        onComplete: () => {},
        ...(reopens && { roaming: { drain: () => 0, waitMs: () => REOPEN_MS, elsewhere: (same) => same } }),
      });
      await group.connect(
        senders.map((sender) => ({
          receiver: firstReceiver + sender,
          credential: tokens[sender]!,
          localAddress: localAddresses[sender],
          server: sender % urls.length,
        })),
      );
      if (Atomics.load(connections.counts, Count.gaveUp) === 0) return;
      throw connectError(`Not all senders could connect: ${Object.keys(group.errors).join(", ")}.`);
    },
    /** @returns false if it can't be sent; `done` will not be called */
    call(sender: number, action: string, params: object, done: Done): boolean {
      const { member, unanswered } = seats.get(sender)!;
      if (unanswered.size >= maxUnanswered) return false;
      const id = calls++;
      if (!member.call(id, action, params)) return false;
      unanswered.set(id, done);
      return true;
    },
    /** These connections stop reading, like hung clients. */
    stall(senders: readonly number[]): void {
      for (const sender of senders) seats.get(sender)!.member.stall();
    },
    close: () => void group?.close(0),
  };
}

/** How a thread opens members at these servers. */
export async function membersOf({ urls, dialect, ...place }: PlaceSetup): Promise<OpenMember> {
  return lightMembers({
    ...place,
    urls: urls.map((url) => new URL(url)),
    dialect: (await loadDialect(dialect)) as SocketIoDialect,
    onRead: () => {},
  });
}

function outcomeOf(answer: Answer): RequestOutcome {
  if (answer.ok) return { ok: true };
  const { type, retryable, data } = answer.error;
  const { retryAfterMs } = (data ?? {}) as { retryAfterMs?: number };
  const lacksRetryTime = retryable && !(retryAfterMs! > 0);
  return failure(type, { lacksRetryTime, ...(retryAfterMs !== undefined && { retryAfterMs }) });
}
