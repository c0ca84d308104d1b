import { Napper } from "../../receivers/napper.ts";
import { lightReceivers } from "../../receivers/light-receiver.ts";
import { allocateConnections, Count, ReceiverGroup } from "../../receivers/receiver-group.ts";
import { SourceAddresses } from "../../receivers/source-addresses.ts";
import { allocateTally, Tally } from "../../receivers/tally.ts";
import { DIALECTS } from "../../targets/dialect.ts";
import type { CrowdReport, CrowdSetup, CrowdStatus, FromCrowd, ToCrowd } from "./crowd-messages.ts";

/** Program of a process with a part of the crowd, because one process has too few descriptors. */
const STATUS_MS = 100;

class CrowdPart {
  readonly #tally: Tally;
  readonly #connections;
  readonly #group: ReceiverGroup;
  readonly #napper: Napper;
  readonly #setup: CrowdSetup;

  constructor(setup: CrowdSetup) {
    const receivers = setup.credentials.length;
    this.#setup = setup;
    this.#tally = new Tally(allocateTally(receivers, setup.messages, setup.epochMs));
    this.#connections = allocateConnections(receivers);
    this.#napper = new Napper(setup.napMs);
    this.#group = new ReceiverGroup({
      open: lightReceivers({
        urls: setup.urls.map((url) => new URL(url)),
        addresses: setup.addresses,
        dialect: DIALECTS[setup.dialect],
        runId: setup.runId,
        onRead: () => this.#napper.afterThisTurn(),
      }),
      tally: this.#tally,
      connections: this.#connections,
      window: setup.window,
      timeoutMs: setup.timeoutMs,
      onComplete: () => say({ type: "status", ...this.status }),
    });
  }

  get status(): CrowdStatus {
    const count = (which: number) => this.#connections.counts[which]!;
    return {
      online: count(Count.online),
      gaveUp: count(Count.gaveUp),
      dropped: count(Count.dropped),
      resyncs: count(Count.resyncs),
      received: [...this.#tally.memory.received],
    };
  }

  get report(): CrowdReport {
    const { memory } = this.#tally;
    const { user, system } = process.cpuUsage();
    return {
      onlineMs: Float64Array.from(this.#connections.onlineMs.filter((value) => value > 0)),
      arrivals: [...memory.received.keys()].map((message) => this.#tally.latencies(message, 0)),
      duplicates: [...memory.duplicates],
      outOfOrder: [...memory.outOfOrder],
      corrupted: memory.corrupted[0]!,
      errors: this.#group.errors,
      rssBytes: process.memoryUsage.rss(),
      cpuSeconds: (user + system) / 1e6,
    };
  }

  connect(): Promise<void> {
    const { credentials, urls, addresses, firstAddress } = this.#setup;
    const local = new SourceAddresses(addresses[0]!, process.platform, firstAddress).take(credentials.length);
    return this.#group.connect(
      credentials.map((credential, receiver) => {
        return { receiver, credential, localAddress: local[receiver], server: receiver % urls.length };
      }),
    );
  }

  measure(on: boolean): void {
    this.#napper.isEnabled = on;
  }

  async close(): Promise<void> {
    this.measure(false);
    await this.#group.close();
  }
}

let part: CrowdPart | undefined;

function say(message: FromCrowd): void {
  // The parent may have exited.
  if (process.connected) process.send?.(message);
}

async function obey(order: ToCrowd): Promise<void> {
  switch (order.type) {
    case "connect":
      part = new CrowdPart(order.setup);
      setInterval(() => part && say({ type: "status", ...part.status }), STATUS_MS);
      await part.connect();
      say({ type: "status", ...part.status });
      say({ type: "connected" });
      break;
    case "measure":
      part?.measure(order.on);
      break;
    case "report":
      if (part) say({ type: "report", report: part.report });
      break;
    case "close":
      await part?.close();
      say({ type: "closed" });
      break;
    default:
  }
}

process.on("message", (order: ToCrowd) => void obey(order));
process.on("disconnect", () => process.exit());
// Ctrl-C reaches the whole process group; the parent decides when this process exits.
process.on("SIGINT", () => {});
