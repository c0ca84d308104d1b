import os from "node:os";
import { applying, ms, percent } from "../../report/format.ts";
import {
  busiestThread,
  watchServer,
  type ServerUse,
  type ThreadLoad,
  type WatchedServer,
} from "./resource-use.ts";

/** A thread of the tester that is busier than this delays messages. */
export const BUSY_LIMIT = 0.85;
export const WAITING_LIMIT = 0.35;
/** Other programs that use more than this share of the machine do, too. */
export const OTHERS_SHARE = 0.25;
/** A standstill shorter than this, or than this share of the longest time, does not matter. */
const STANDSTILL_MS = 50;
const STANDSTILL_SHARE = 0.2;

/** What the tester itself, and other programs, used of the machine; null: unknown, or interrupted before. */
export const NOT_WATCHED = {
  /** Of the busiest thread of each kind: its share of a core, and the share of time it waited for one. */
  senderBusy: null as number | null,
  senderWaiting: null as number | null,
  receiverBusy: null as number | null,
  receiverWaiting: null as number | null,
  /** The longest time that one of these threads stood still, for example because the process was suspended. */
  standstillMs: 0,
  /** Cores used by unrelated programs. */
  otherProgramsCores: null as number | null,
};
export type TesterLoad = typeof NOT_WATCHED;

type SampleLoads = () => Promise<readonly ThreadLoad[]>;
interface Watched {
  /** Of the threads that send, and of those that only receive; undefined: there are none. */
  sending?: SampleLoads | undefined;
  receiving?: SampleLoads | undefined;
  server?: WatchedServer | undefined;
}

export type TesterWatch = Awaited<ReturnType<typeof watchTester>>;

/** Watches the tester and the server during a measurement, so that its own delays are not attributed to the server. */
export async function watchTester({ sending, receiving, server }: Watched) {
  const endSending = await watchThreads(sending);
  const endReceiving = await watchThreads(receiving);
  const endServer = server && (await watchServer(server));
  let sent: ReturnType<typeof endSending> | undefined;
  const endSent = () => (sent ??= endSending());
  return {
    /** Sending has ended, and the measurement goes on. */
    sent: endSent,
    async end(): Promise<TesterLoad & { server: ServerUse | undefined }> {
      const [ofSending, ofReceiving, use] = [await endSent(), await endReceiving(), await endServer?.()];
      return {
        senderBusy: ofSending.busy,
        senderWaiting: ofSending.waiting,
        receiverBusy: ofReceiving.busy,
        receiverWaiting: ofReceiving.waiting,
        standstillMs: Math.max(ofSending.standstillMs, ofReceiving.standstillMs),
        otherProgramsCores: use?.otherProgramsCores ?? null,
        server: use,
      };
    },
  };
}

async function watchThreads(sample: SampleLoads = () => Promise.resolve([])) {
  const before = await sample();
  return async () => {
    const after = await sample();
    const standstillMs = Math.max(0, ...after.map((load) => load.standstillMs));
    return { ...busiestThread(before, after), standstillMs };
  };
}

/**
 * What made the figures worse through no fault of the server.
 * @param longestMs the longest time that was measured
 */
export function testerCaveats(
  load: Partial<TesterLoad>,
  longestMs: number | null | undefined,
  effect = "the figures are worse than the server's own, and only ratios within one run are meaningful.",
): string[] {
  const { standstillMs = 0 } = load;
  const waiting = Math.max(load.senderWaiting ?? 0, load.receiverWaiting ?? 0);
  const [others, all] = [load.otherProgramsCores ?? 0, os.availableParallelism()];
  return applying(
    standstillMs > Math.max(STANDSTILL_MS, (longestMs ?? 0) * STANDSTILL_SHARE) &&
      `The tester itself stood still for up to ${ms(standstillMs)}: times are overstated by up to that.`,
    busyCaveat("sending", load.senderBusy ?? 0),
    busyCaveat("receiving", load.receiverBusy ?? 0),
    waiting > WAITING_LIMIT &&
      `This machine has too few free cores: a thread of the tester waited for one ${percent(waiting)} of the time.`,
    others > all * OTHERS_SHARE &&
      `Other programs used ${others.toFixed(1)} of the ${all} cores of this machine: ${effect}`,
  );
}

function busyCaveat(kind: "sending" | "receiving", busy: number): string | false {
  return (
    busy > BUSY_LIMIT &&
    `The tester was the bottleneck: its busiest ${kind} thread was busy ${percent(busy)} of the time. ` +
      "More threads, fewer users, or another machine for the tester help."
  );
}

/** Texts about a part of the run. */
export const ofPhase = (name: string, texts: readonly string[]): string[] =>
  texts.map((text) => `${name}: ${text}`);
