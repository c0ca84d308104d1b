import { Audience, type AudienceOptions } from "../../receivers/audience.ts";
import { allocateTally, Tally, type TallyMemory } from "../../receivers/tally.ts";
import { sampleThreadLoad } from "../broadcast/resource-use.ts";
import { answer } from "../../receivers/thread.ts";

/** A part of the members, for one process. */
export interface ProcessSetup extends Omit<AudienceOptions<Tally>, "kind" | "probes" | "threads" | "tally"> {
  credentials: readonly (string | null)[];
  /** How many messages will be sent. */
  messages: number;
  /** The instant (`nowMs`) that stored times are relative to. */
  epochMs: number;
  /** How often it reports its status. */
  statusMs: number;
}

export interface ProcessStatus {
  online: number;
  gaveUp: number;
  dropped: number;
  resyncs: number;
  /** Per message: how many members have it. */
  received: number[];
}

export interface ProcessReport {
  tally: TallyMemory<ArrayBuffer>;
  /** For each connection: milliseconds from the start of its attempt. */
  onlineMs: Float64Array;
  errors: Readonly<Record<string, number>>;
  rssBytes: number;
}

let audience: Audience | undefined;

function send(message: object): void {
  // The parent may have exited.
  if (process.connected) process.send?.(message);
}

function sendStatus({ online, gaveUp, dropped, resyncs, tally }: Audience): void {
  const status: ProcessStatus = { online, gaveUp, dropped, resyncs, received: [...tally.memory.received] };
  send({ status });
}

const orders = {
  /** Resolves when all connections are online or given up. */
  async connect({ credentials, messages, epochMs, statusMs, ...options }: ProcessSetup): Promise<void> {
    const tally = new Tally(allocateTally(credentials.length, messages, epochMs));
    const all = await Audience.start({ ...options, threads: 1, tally });
    audience = all;
    setInterval(() => sendStatus(all), statusMs);
    await all.connect(credentials);
    sendStatus(all);
  },
  /** @returns the longest time that it stood still since the last call */
  async measure(on: boolean): Promise<number> {
    audience?.measure(on);
    const loads = [sampleThreadLoad(), ...((await audience?.sampleLoads()) ?? [])];
    return Math.max(...loads.map(({ standstillMs }) => standstillMs));
  },
  async close(): Promise<ProcessReport | undefined> {
    const rssBytes = process.memoryUsage.rss();
    await audience?.close();
    return (
      audience && {
        tally: audience.tally.copy(),
        onlineMs: audience.connections.onlineMs.filter((value) => value > 0).slice(),
        errors: audience.errors,
        rssBytes,
      }
    );
  },
};
export type ProcessOrders = typeof orders;

process.on("message", async (question: Parameters<typeof answer>[1]) => send(await answer(orders, question)));
process.on("disconnect", () => process.exit());
