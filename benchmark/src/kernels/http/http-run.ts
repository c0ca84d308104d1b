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
import { newRunId } from "../../receivers/message-tag.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { rankOf } from "../broadcast/percentiles.ts";
import { measureLoad } from "../load/load-run.ts";
import { createGuest, doAll, type LoadContext } from "../load/load.ts";
import type { HttpCall } from "../requests/http-operation.ts";
import { httpThreads } from "../requests/http-thread.ts";
import { ackTimes, allocateRequests } from "../requests/request-memory.ts";

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
  channels: integer("Who", "Direct channels between two of the users", [1, 100_000], {
    default: 1000,
  }),
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

/** The percentiles that `ab` prints. */
const AB_PERCENTILES = [50, 66, 75, 80, 90, 95, 98, 99, 100] as const;
/** Bytes per block in `blocks`. Source: stat(2). */
const BLOCK_BYTES = 512;

/** `ab -k` against the endpoint that sends a direct message, with random senders and receivers. */
export async function measureHttp(context: LoadContext & { target: FanfareTarget }, plan: HttpPlan) {
  const { target, signal } = context;
  const { connections, payloadBytes } = plan;
  const { pairs, registration } = await openPairs(context, plan);
  const message = { runId: newRunId(), payloadBytes };
  const calls = pairs.flatMap(callsOf);
  const threads = await httpThreads({ url: target.urls[0]!, connections, calls, message }, signal);
  const memory = allocateRequests(plan.count);
  const written = async () => ({
    messages: await storedIn(context, pairs),
    bytes: target.platform && folderBytes(target.platform.folder),
  });
  let before: Awaited<ReturnType<typeof written>> | undefined;
  let after: typeof before;
  const load = await measureLoad(context, {
    name: "send",
    threads,
    memory,
    senders: connections,
    scene: {
      users: plan.users,
      senders: connections,
      online: 0,
      channels: pairs.length,
      groups: null,
      members: null,
    },
    registration,
    connect: () => threads.prepare(),
    begin: async () => void (before = await written()),
    end: async () => void (after = await written()),
  });
  const stored = before && after && after.messages - before.messages;
  return {
    load,
    /** null: interrupted. */
    stored: stored ?? null,
    /**
     * Acknowledged but not stored right after the last response, which is what a queue behind the response would
     * still hold.
     */
    behind: stored === undefined ? null : Math.max(0, load.figures.counts.acknowledged - stored),
    /** That the server's files grew by; undefined: unknown. */
    diskBytes:
      before?.bytes === undefined || after?.bytes === undefined ? undefined : after.bytes - before.bytes,
    /** Of acknowledged requests, as `ab` prints them. */
    percentiles: abPercentiles(ackTimes(memory)),
  };
}

function callsOf({ channelId, tokens }: Pair): HttpCall[] {
  const params = { channelId };
  return tokens.map((token) => ({ method: "POST", path: "/api/message.send", token, params }));
}

/** Guests, and direct channels between random pairs of them. */
async function openPairs(context: LoadContext, { users: count, channels }: HttpPlan) {
  const { target, signal } = context;
  const { code } = await target.openMeeting(signal);
  const { users, result } = await doAll(context, "registering guests", count, async () => {
    const guest = await createGuest(context);
    await target.api.call("invite.accept", { code }, guest.accessToken, signal);
    return guest;
  });
  const opened = await doAll(context, "opening channels", channels, async (): Promise<Pair> => {
    const first = randomInt(count);
    const second = (first + 1 + randomInt(count - 1)) % count;
    const [{ accessToken: token }, { user, accessToken }] = [users[first]!, users[second]!];
    const { channel } = await target.api.call("channel.openDirect", { userId: user.id }, token, signal);
    return { channelId: channel.id, tokens: [token, accessToken] };
  });
  // The same pair may have been drawn twice.
  const pairs = [...new Map(opened.users.map((pair) => [pair.channelId, pair])).values()];
  return { pairs, registration: result };
}

/** Messages in all channels: each counts its own. */
async function storedIn(context: LoadContext, pairs: readonly Pair[]): Promise<number> {
  const { api } = context.target;
  const { users: counts } = await doAll(context, "counting stored messages", pairs.length, async (index) => {
    const { channelId, tokens } = pairs[index]!;
    return (await api.call("message.list", { channelId, limit: 1 }, tokens[0])).head.seq;
  });
  return counts.reduce((sum, stored) => sum + stored, 0);
}

/** Null without values. */
function abPercentiles(sorted: Float64Array): { percent: number; ms: number }[] | null {
  if (sorted.length === 0) return null;
  return AB_PERCENTILES.map((percent) => ({
    percent,
    ms: sorted[rankOf(percent, sorted.length) - 1]!,
  }));
}

/** Disk usage of a folder's files. */
function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).reduce((sum, name) => {
    // A file may have been deleted meanwhile.
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (stat?.isFile() ? stat.blocks * BLOCK_BYTES : 0);
  }, 0);
}
