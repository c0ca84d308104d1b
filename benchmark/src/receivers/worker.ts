import { workerData } from "node:worker_threads";
import { sampleThreadLoad } from "../kernels/broadcast/resource-use.ts";
import { loadDialect } from "../targets/plugins.ts";
import type { AudienceOptions } from "./audience.ts";
import { ChannelPosition } from "./catch-up.ts";
import { DeliveryTally, type DeliveryMemory } from "./delivery-tally.ts";
import { lightReceivers } from "./light-receiver.ts";
import { ReceiverGroup, type ConnectionMemory } from "./receiver-group.ts";
import { Roaming, type Assignment } from "./receiver.ts";
import { Tally, type TallyMemory } from "./tally.ts";
import { emit, serveThread } from "./thread.ts";

/**
 * Batches reads: after a turn of the event loop with a read, the thread sleeps briefly, so that the next turn
 * finds many sockets readable. Waking up for every frame would slow down a server on the same machine as remote
 * receivers never do. The sleep counts as latency.
 */
class Napper {
  isEnabled = false;
  readonly #napMs: number;
  readonly #never = new Int32Array(new SharedArrayBuffer(4));
  #isScheduled = false;

  constructor(napMs: number) {
    this.#napMs = napMs;
  }

  afterThisTurn(): void {
    if (!this.isEnabled || this.#isScheduled || this.#napMs === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      Atomics.wait(this.#never, 0, 0, this.#napMs);
    });
  }
}

/** Startup data of a receiving thread. */
export interface WorkerSetup extends Required<
  Pick<
    AudienceOptions<Tally>,
    "urls" | "dialect" | "runId" | "kind" | "connectTimeoutMs" | "connecting" | "napMs"
  >
> {
  addresses: readonly string[];
  tally: TallyMemory | DeliveryMemory;
  connections: ConnectionMemory;
  exactChannel?: string;
}

const setup = workerData as WorkerSetup;
const napper = new Napper(setup.napMs);
const { exactChannel } = setup;
const common = {
  urls: setup.urls.map((url) => new URL(url)),
  dialect: await loadDialect(setup.dialect),
  runId: setup.runId,
};
const group = new ReceiverGroup({
  open:
    setup.kind === "light"
      ? lightReceivers({ ...common, addresses: setup.addresses, onRead: () => napper.afterThisTurn() })
      : (await import("./official-receiver.ts")).officialReceivers(common),
  tally: "bits" in setup.tally ? new DeliveryTally(setup.tally) : new Tally(setup.tally),
  connections: setup.connections,
  window: setup.connecting,
  timeoutMs: setup.connectTimeoutMs,
  onComplete: () => emit("complete"),
  roaming: exactChannel === undefined ? undefined : new Roaming(setup.urls.length),
});

/** What the audience asks for. Connecting and closing return errors by code. */
const orders = {
  async connect(assignments: Omit<Assignment, "position">[]) {
    await group.connect(
      exactChannel === undefined
        ? assignments
        : assignments.map((a) => ({ ...a, position: new ChannelPosition(exactChannel) })),
    );
    return group.errors;
  },
  renew: (credentials: readonly (string | null)[]) => group.renew(credentials),
  /** While measuring, reads are batched: see `napMs`. */
  measure(on: boolean) {
    napper.isEnabled = on;
  },
  sample: sampleThreadLoad,
  async close() {
    napper.isEnabled = false;
    await group.close();
    return group.errors;
  },
};
export type ReceiverOrders = typeof orders;
serveThread(orders);
