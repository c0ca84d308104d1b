import { Audience, type AudienceOptions } from "../../receivers/audience.ts";
import { allocateTally, Tally, type TallyMemory } from "../../receivers/tally.ts";

/** A part of the members, for one process. */
export interface ProcessSetup extends Omit<AudienceOptions<Tally>, "kind" | "probes" | "workers" | "tally"> {
  credentials: readonly (string | null)[];
  /** How many messages will be sent. */
  messages: number;
  /** The instant (`nowMs`) that stored times are relative to. */
  epochMs: number;
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

export type ToProcess =
  | { type: "connect"; setup: ProcessSetup }
  /** While measuring, reads are batched: see `napMs`. */
  | { type: "measure"; on: boolean }
  | { type: "close" };

export type FromProcess =
  | { type: "status"; status: ProcessStatus }
  /** All connections are online or given up. */
  | { type: "connected" }
  | { type: "closed"; report: ProcessReport | undefined };

const STATUS_MS = 50;

let audience: Audience | undefined;

function say(message: FromProcess): void {
  // The parent may have exited.
  if (process.connected) process.send?.(message);
}

function sayStatus({ online, gaveUp, dropped, resyncs, tally }: Audience): void {
  const received = [...tally.memory.received];
  say({ type: "status", status: { online, gaveUp, dropped, resyncs, received } });
}

async function connect({ credentials, messages, epochMs, ...options }: ProcessSetup): Promise<void> {
  const tally = new Tally(allocateTally(credentials.length, messages, epochMs));
  const all = await Audience.start({ ...options, workers: 1, tally });
  audience = all;
  setInterval(() => sayStatus(all), STATUS_MS);
  await all.connect(credentials);
  sayStatus(all);
  say({ type: "connected" });
}

async function close(): Promise<ProcessReport | undefined> {
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
}

async function obey(order: ToProcess): Promise<void> {
  if (order.type === "connect") await connect(order.setup);
  else if (order.type === "measure") audience?.measure(order.on);
  else say({ type: "closed", report: await close() });
}

process.on("message", (order: ToProcess) => void obey(order));
process.on("disconnect", () => process.exit());
// Ctrl-C reaches the whole process group; the parent decides when this process exits.
process.on("SIGINT", () => {});
