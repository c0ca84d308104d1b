import { parentPort, workerData } from "node:worker_threads";
import { sampleThreadLoad } from "../broadcast/thread-load.ts";
import { lightReceivers } from "../../receivers/light-receiver.ts";
import { Napper } from "../../receivers/napper.ts";
import { ReceiverGroup } from "../../receivers/receiver-group.ts";
import { loadDialect } from "../../targets/dialect.ts";
import { LoadTally } from "./load-tally.ts";
import { encodeArrivals } from "./encode-arrivals.ts";
import type { FromReceiveThread, ReceiveSetup, ToReceiveThread } from "./receive-messages.ts";

const setup = workerData as ReceiveSetup;
const port = parentPort!;
const say = (message: FromReceiveThread) => port.postMessage(message);

const napper = new Napper(setup.napMs);
const tally = new LoadTally(setup.tally, setup.intendedAt);
const group = new ReceiverGroup({
  open: lightReceivers({
    urls: setup.urls.map((url) => new URL(url)),
    addresses: setup.addresses,
    dialect: await loadDialect(setup.dialect),
    runId: setup.runId,
    onRead: () => napper.afterThisTurn(),
  }),
  tally,
  connections: setup.connections,
  window: setup.window,
  timeoutMs: setup.timeoutMs,
  onComplete: () => {},
});

async function obey(order: ToReceiveThread): Promise<void> {
  switch (order.type) {
    case "connect":
      await group.connect(order.assignments);
      napper.isEnabled = true;
      say({ type: "connected" });
      break;
    case "sample":
      say({ type: "sampled", load: sampleThreadLoad() });
      break;
    case "report":
      say({ type: "reported", arrivals: encodeArrivals(tally.arrivals) });
      break;
    case "close":
      napper.isEnabled = false;
      await group.close();
      say({ type: "closed", errors: group.errors });
      break;
    default:
  }
}

port.on("message", (order: ToReceiveThread) => void obey(order));
