import { sampleThreadLoad } from "../kernels/broadcast/resource-use.ts";
import { loadDialect } from "../targets/plugins.ts";
import type { AudienceOptions } from "./audience.ts";
import { ChannelPosition } from "./catch-up.ts";
import { DeliveryTally, type DeliveryMemory } from "./delivery-tally.ts";
import { lightReceivers } from "./light-receiver.ts";
import { allocateConnections, ReceiverGroup, type ConnectionMemory } from "./receiver-group.ts";
import { Roaming, type Assignment } from "./receiver.ts";
import { allocateTally, int32, Tally, type TallyMemory } from "./tally.ts";
import { emit, serveThread, startData } from "./thread.ts";

/** Startup data of a receiving thread or process. */
export interface WorkerSetup extends Required<
  Pick<
    AudienceOptions<Tally>,
    "urls" | "dialect" | "runId" | "kind" | "connectTimeoutMs" | "connecting" | "napMs"
  >
> {
  addresses: readonly string[];
  /** That of the audience; a process allocates its own. */
  memory: Shared | { receivers: number; messages: number; epochMs: number };
  exactChannel?: string;
}

interface Shared {
  tally: TallyMemory | DeliveryMemory;
  connections: ConnectionMemory;
}

/** What a process has counted so far: its connections, and members that have each message. */
export interface Counted {
  counts: Int32Array;
  received: Int32Array;
}

/** How often a process reports it. */
const STATUS_MS = 50;

const setup = await startData<WorkerSetup>();
const { exactChannel, memory } = setup;
const isProcess = !("tally" in memory);
const { tally, connections }: Shared = isProcess
  ? {
      tally: allocateTally(memory.receivers, memory.messages, memory.epochMs),
      connections: allocateConnections(memory.receivers),
    }
  : memory;
const recorder = "bits" in tally ? new DeliveryTally(tally) : new Tally(tally);
const common = {
  urls: setup.urls.map((url) => new URL(url)),
  dialect: await loadDialect(setup.dialect),
  runId: setup.runId,
};
const group = new ReceiverGroup({
  open:
    setup.kind === "light"
      ? lightReceivers({ ...common, addresses: setup.addresses, onRead: napAfterThisTurn })
      : (await import("./official-receiver.ts")).officialReceivers(common),
  tally: recorder,
  connections,
  window: setup.connecting,
  timeoutMs: setup.connectTimeoutMs,
  onComplete: () => (isProcess ? report() : emit(null)),
  roaming: exactChannel === undefined ? undefined : new Roaming(setup.urls.length),
});
if (isProcess) setInterval(report, STATUS_MS);

/** While measuring. */
let areReadsBatched = false;
let isNapDue = false;
const never = int32(1);

/**
 * Batches reads: after a turn of the event loop with a read, the thread sleeps briefly, so that the next turn
 * finds many sockets readable. Waking up for every frame would slow down a server on the same machine as remote
 * receivers never do. The sleep counts as latency.
 */
function napAfterThisTurn(): void {
  if (!areReadsBatched || isNapDue || setup.napMs === 0) return;
  isNapDue = true;
  setImmediate(() => {
    isNapDue = false;
    Atomics.wait(never, 0, 0, setup.napMs);
  });
}

function report(): void {
  if (isProcess)
    emit({ counts: connections.counts.slice(), received: tally.received.slice() } satisfies Counted);
}

/** What the audience asks for. Connecting and closing return errors by code. */
const orders = {
  async connect(assignments: Omit<Assignment, "position">[]) {
    await group.connect(
      exactChannel === undefined
        ? assignments
        : assignments.map((a) => ({ ...a, position: new ChannelPosition(exactChannel) })),
    );
    report();
    return group.errors;
  },
  renew: (credentials: readonly (string | null)[]) => group.renew(credentials),
  /** While measuring, reads are batched: see `napMs`. */
  measure(on: boolean) {
    areReadsBatched = on;
  },
  sample: sampleThreadLoad,
  async close() {
    areReadsBatched = false;
    await group.close();
    report();
    const own =
      isProcess && recorder instanceof Tally
        ? { tally: recorder.copy(), onlineMs: connections.onlineMs.slice() }
        : undefined;
    return { errors: group.errors, own };
  },
};
export type ReceiverOrders = typeof orders;
serveThread(orders);
