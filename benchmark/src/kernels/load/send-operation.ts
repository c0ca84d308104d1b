import type { Answer } from "../overload/answer-frame.ts";
import { lightServer, readBuffer, socketIoPath } from "../../receivers/light-socket.ts";
import { nowMs } from "../broadcast/clock.ts";
import { taggedContent } from "../../receivers/message-tag.ts";
import { PacketCache } from "../../receivers/packet-cache.ts";
import { Count } from "../../receivers/receiver-group.ts";
import { loadDialect } from "../../targets/dialect.ts";
import { connectMembers } from "./connect-members.ts";
import { encodeArrivals } from "./encode-arrivals.ts";
import type { LoadLoop } from "./load-result.ts";
import { LoadTally } from "./load-tally.ts";
import { senderOf } from "./loops.ts";
import type { Member } from "./member.ts";
import type { Operation, OperationContext, OperationOutcome } from "./operation.ts";
import type { ArrivalReport, ConnectionSetup } from "./receive-messages.ts";

/** The platform answers at most 256 concurrent calls per connection. */
const MAX_UNANSWERED_PER_CONNECTION = 200;
/** After a rejection without a retry time. */
const RETRY_MS = 100;

export interface SendSetup extends ConnectionSetup {
  loop: LoadLoop;
  /** Run ID in the text of warm-up messages. */
  warmUpRunId: string;
  /** Per sender. */
  tokens: readonly string[];
  localAddresses: readonly (string | undefined)[];
  /** The number of the first sender among all receiving connections; the others follow. */
  firstReceiver: number;
  channelIds: readonly string[];
  payloadBytes: number;
}

interface Seat {
  member: Member;
  /** Calls in flight, by number. */
  readonly unanswered: Map<number, (outcome: OperationOutcome) => void>;
}

/** Sends messages to the channels in the plan; what senders receive goes to the tally. */
class SendOperation implements Operation {
  readonly errors: Record<string, number> = {};
  readonly #setup: SendSetup;
  readonly #senders: number[];
  readonly #tally: LoadTally;
  readonly #seats = new Map<number, Seat>();
  #isClosing = false;

  constructor({ setup, worker, workers }: OperationContext<SendSetup>) {
    this.#setup = setup;
    this.#senders = setup.tokens.map((_, s) => s).filter((s) => s % workers === worker);
    this.#tally = new LoadTally(setup.tally, setup.intendedAt);
  }

  async prepare(): Promise<void> {
    const { urls, addresses, runId, tokens, localAddresses } = this.#setup;
    const dialect = await loadDialect(this.#setup.dialect);
    const path = socketIoPath(dialect.path);
    const servers = urls.map((url, i) => lightServer(new URL(url), addresses[i]!, path));
    const context = { buffer: readBuffer(), dialect, runId, cache: new PacketCache() };
    const places = this.#senders.map((s) => ({
      server: servers[s % servers.length]!,
      token: tokens[s]!,
      localAddress: localAddresses[s],
    }));
    const unanswered = this.#senders.map((): Seat["unanswered"] => new Map());
    const members = await connectMembers(context, places, (m) =>
      this.#handler(this.#senders[m]!, unanswered[m]!),
    );
    for (const [m, member] of members.entries())
      this.#seats.set(this.#senders[m]!, { member, unanswered: unanswered[m]! });
  }

  begin(index: number, isWarmUp: boolean, done: (outcome: OperationOutcome) => void): boolean {
    const { loop, tokens, channelIds, runId, warmUpRunId, payloadBytes, tally } = this.#setup;
    const { member, unanswered } = this.#seats.get(senderOf(index, loop, tokens.length))!;
    if (unanswered.size >= MAX_UNANSWERED_PER_CONNECTION) return false;
    const run = isWarmUp ? warmUpRunId : runId;
    const id = isWarmUp ? tally.messages + index : index;
    const isSent = member.call(id, "message.send", {
      channelId: channelIds[tally.channelOf[index]!],
      content: taggedContent(run, index, payloadBytes),
      nonce: `${run}.${index}`,
    });
    if (isSent) unanswered.set(id, done);
    return isSent;
  }

  report(): ArrivalReport {
    return encodeArrivals(this.#tally.arrivals);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    for (const { member } of this.#seats.values()) member.destroy();
  }

  #handler(sender: number, unanswered: Seat["unanswered"]) {
    const { firstReceiver, connections } = this.#setup;
    const receiver = firstReceiver + sender;
    return {
      answered: (answer: Answer) => {
        const done = unanswered.get(answer.id);
        unanswered.delete(answer.id);
        done?.(outcomeOf(answer));
      },
      messages: (indexes: readonly number[], revs: readonly number[]) => {
        const atMs = nowMs();
        for (const [i, index] of indexes.entries())
          this.#tally.record(receiver, index, atMs, "event", revs[i]);
      },
      resync: () => void Atomics.add(connections.counts, Count.resyncs, 1),
      ended: (code: string) => {
        if (this.#isClosing) return;
        this.errors[code] = (this.errors[code] ?? 0) + 1;
        Atomics.add(connections.counts, Count.dropped, 1);
        const lost = [...unanswered.values()];
        unanswered.clear();
        for (const done of lost) done({ ok: false, code, isAnswer: false, retryAfterMs: RETRY_MS });
      },
    };
  }
}

function outcomeOf(answer: Answer): OperationOutcome {
  if (answer.ok) return { ok: true };
  const { type, data } = answer.error;
  const { retryAfterMs = RETRY_MS } = (data ?? {}) as { retryAfterMs?: number };
  return { ok: false, code: type, isAnswer: true, retryAfterMs };
}

export function createOperation(context: OperationContext<SendSetup>): Operation {
  return new SendOperation(context);
}
