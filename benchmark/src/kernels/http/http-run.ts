import { randomInt } from "node:crypto";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  FANFARE_OPTIONS,
  integer,
  PAYLOAD_OPTIONS,
  REQUEST_TIMEOUT,
  type OptionValues,
} from "../../cli/options.ts";
import type { RunContext } from "../../cli/scenario.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import type { Api } from "../../targets/fanfare/api.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { createSharedGroup } from "../../targets/fanfare/meeting.ts";
import { registerAll, type Work } from "../../targets/registration.ts";
import { rankOf } from "../broadcast/percentiles.ts";
import { watchServer } from "../broadcast/resource-use.ts";
import type { HttpCall } from "../requests/http-operation.ts";
import { HttpThread } from "../requests/http-thread.ts";

const MOST_REQUESTS = 10_000_000;

export const HTTP_OPTIONS = {
  ...FANFARE_OPTIONS,
  ...PAYLOAD_OPTIONS,
  connections: integer("Load", "Connections, each with one request in flight", [1, 15_000], {
    default: 1000,
  }),
  count: integer("Load", "Requests in total", [1, MOST_REQUESTS], { alias: "c", default: 20_000 }),
  warmup: integer("Load", "Warm-up requests, not counted", [0, MOST_REQUESTS], { default: 1000 }),
  users: integer("Who", "Users who send and receive", [2, 100_000], { alias: "u", default: 500 }),
  channels: integer("Who", "Direct channels between two of the users", [1, 100_000], { default: 1000 }),
  timeoutMs: REQUEST_TIMEOUT,
};

export type HttpPlan = OptionValues<typeof HTTP_OPTIONS>;

/** Concurrent registrations and read-back calls. */
export const CALLS = 50;

export type HttpMeasurement = Awaited<ReturnType<typeof measureHttp>>;

/** A direct channel. Both can send. */
interface Pair {
  channelId: string;
  tokens: [string, string];
}

type Calls = Omit<Work, "label" | "count">;

/** The percentiles that `ab` prints. */
const AB_PERCENTILES = [50, 66, 75, 80, 90, 95, 98, 99, 100] as const;
const WARM_UP_CONNECTIONS = 100;
/** Bytes per block in `blocks`. Source: stat(2). */
const BLOCK_BYTES = 512;

/** `ab -k` against the endpoint that sends a direct message, with random senders and receivers. */
export async function measureHttp(target: FanfareTarget, plan: HttpPlan, context: RunContext) {
  const { progress, errors, signal, defer } = context;
  const { connections, count: requests, payloadBytes, timeoutMs } = plan;
  const work = { concurrency: CALLS, progress, signal };
  const pairs = await openPairs(target.api, plan, work);
  const thread = await HttpThread.open(
    {
      url: target.urls[0]!,
      connections,
      calls: pairs.flatMap(callsOf),
      message: { runId: newRunId(), payloadBytes },
    },
    signal,
  );
  defer(async () => void (await thread.close()));
  const warmUp = { connections: Math.min(WARM_UP_CONNECTIONS, connections), requests: plan.warmup };
  if (plan.warmup > 0) await thread.run({ ...warmUp, timeoutMs, isWarmUp: true });
  const storedBefore = await storedIn(target.api, pairs, work);
  const bytesBefore = target.platform && folderBytes(target.platform.folder);
  const endWatch = await watchServer(target);
  const outcome = await progress.during(
    "sending messages",
    requests,
    () => thread.settled,
    () => thread.run({ connections, requests, timeoutMs }),
  );
  const { cpuSeconds } = await endWatch();
  const stored = signal.aborted ? null : (await storedIn(target.api, pairs, work)) - storedBefore;
  const bytesAfter = target.platform && folderBytes(target.platform.folder);
  const usage = await target.usage();
  errors.addAll("rejected", outcome.refusals);
  errors.addAll("send", outcome.failures);
  const { sent, acknowledged, refused, unanswered, testerBusy } = outcome;
  const behind = stored === null ? null : Math.max(0, acknowledged - stored);
  return {
    /** Direct channels, each between two of the users. */
    channels: pairs.length,
    /**
     * `behind`: acknowledged but not stored right after the last response, which is what a queue behind the
     * response would still hold; null: interrupted.
     */
    counts: { sent, acknowledged, refused, unanswered, stored, behind },
    seconds: outcome.measuredMs / 1000,
    cpuSeconds: cpuSeconds ?? 0,
    /** That the server's files grew by; undefined: unknown. */
    diskBytes: bytesBefore === undefined || bytesAfter === undefined ? undefined : bytesAfter - bytesBefore,
    rssBytes: usage?.rssBytes,
    /** Of acknowledged requests, as `ab` prints them. */
    percentiles: abPercentiles(outcome.latenciesMs),
    /** The tester's share of a core: close to 1, the tester was the bottleneck. */
    testerBusy,
    errors: errors.rows(),
  };
}

function callsOf({ channelId, tokens }: Pair): HttpCall[] {
  const params = { channelId };
  return tokens.map((token) => ({ method: "POST", path: "/api/message.send", token, params }));
}

/** Guests, and direct channels between random pairs of them. */
async function openPairs(api: Api, { users: count, channels }: HttpPlan, work: Calls): Promise<Pair[]> {
  const { signal } = work;
  const join = await createSharedGroup(api, signal);
  const guests = { label: "registering guests", count, ...work };
  const { users } = await registerAll(guests, async () => {
    const guest = await api.call("user.createGuest", {}, undefined, signal);
    await join(guest.accessToken);
    return guest;
  });
  const opening = { label: "opening channels", count: channels, ...work };
  const { users: pairs } = await registerAll(opening, async (): Promise<Pair> => {
    const first = randomInt(count);
    const second = (first + 1 + randomInt(count - 1)) % count;
    const [{ accessToken: token }, { user, accessToken }] = [users[first]!, users[second]!];
    const { channel } = await api.call("channel.openDirect", { userId: user.id }, token, signal);
    return { channelId: channel.id, tokens: [token, accessToken] };
  });
  // The same pair may have been drawn twice.
  return [...new Map(pairs.map((pair) => [pair.channelId, pair])).values()];
}

/** Messages in all channels: each counts its own. */
async function storedIn(api: Api, pairs: readonly Pair[], work: Calls): Promise<number> {
  const reading = { label: "counting stored messages", count: pairs.length, ...work };
  const { users: counts } = await registerAll(reading, async (index) => {
    const { channelId, tokens } = pairs[index]!;
    return (await api.call("message.list", { channelId, limit: 1 }, tokens[0])).head.seq;
  });
  return counts.reduce((sum, stored) => sum + stored, 0);
}

/** Null without values. */
function abPercentiles(sorted: Float64Array): { percent: number; ms: number }[] | null {
  if (sorted.length === 0) return null;
  return AB_PERCENTILES.map((percent) => ({ percent, ms: sorted[rankOf(percent, sorted.length) - 1]! }));
}

/** Disk usage of a folder's files. */
function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).reduce((sum, name) => {
    // A file may have been deleted meanwhile.
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (stat?.isFile() ? stat.blocks * BLOCK_BYTES : 0);
  }, 0);
}
