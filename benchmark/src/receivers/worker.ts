import { parentPort, workerData } from "node:worker_threads";
import { sampleThreadLoad } from "../kernels/broadcast/thread-load.ts";
import { loadDialect } from "../targets/plugins.ts";
import { ChannelPosition } from "./channel-position.ts";
import { DeliveryTally } from "./delivery-tally.ts";
import { lightReceivers } from "./light-receiver.ts";
import { Napper } from "./napper.ts";
import { officialReceivers } from "./official-receiver.ts";
import { ReceiverGroup } from "./receiver-group.ts";
import { Roaming } from "./roaming.ts";
import { Tally } from "./tally.ts";
import type { FromWorker, ToWorker, WorkerSetup } from "./worker-messages.ts";

const setup = workerData as WorkerSetup;
const port = parentPort!;
const say = (message: FromWorker) => port.postMessage(message);

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
      : officialReceivers(common),
  tally: "bits" in setup.tally ? new DeliveryTally(setup.tally) : new Tally(setup.tally),
  connections: setup.connections,
  window: setup.window,
  timeoutMs: setup.connectTimeoutMs,
  onComplete: (message) => say({ type: "complete", message }),
  roaming: exactChannel === undefined ? undefined : new Roaming(setup.urls.length),
});

async function obey(order: ToWorker): Promise<void> {
  switch (order.type) {
    case "connect":
      await group.connect(
        exactChannel === undefined
          ? order.assignments
          : order.assignments.map((a) => ({ ...a, position: new ChannelPosition(exactChannel) })),
      );
      say({ type: "connected", errors: group.errors });
      break;
    case "measure":
      napper.isEnabled = order.on;
      break;
    case "sample":
      say({ type: "sample", load: sampleThreadLoad() });
      break;
    case "close":
      napper.isEnabled = false;
      await group.close();
      say({ type: "closed", errors: group.errors });
      break;
    default:
  }
}

port.on("message", (order: ToWorker) => void obey(order));
