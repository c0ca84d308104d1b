import { lstatSync, readdirSync } from "node:fs";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import type { RunContext } from "../../cli/scenario.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import { known, type MetricValues } from "../../report/metric.ts";
import type { ErrorRow } from "../../report/result.ts";
import type { Api } from "../../targets/fanfare/api.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { createSharedGroup } from "../../targets/fanfare/shared-group.ts";
import { registerAll } from "../../targets/registration.ts";
import type { HttpCall } from "../requests/http-operation.ts";
import { HttpThread } from "../requests/http-thread.ts";
import { abPercentiles } from "./ab-percentiles.ts";

export interface HttpPlan {
  users: number;
  channels: number;
  concurrency: number;
  requests: number;
  warmUp: number;
  payloadBytes: number;
  timeoutMs: number;
  /** Concurrent registrations and read-back calls. */
  calls: number;
}

export interface HttpMeasurement {
  /** Direct channels, each between two of the users. */
  channels: number;
  values: MetricValues;
  /** The percentiles `ab` prints, of acknowledged requests. */
  percentiles: { percent: number; ms: number }[] | null;
  /**
   * `behind`: acknowledged but not stored right after the last response, which is what a queue behind the
   * response would still hold; null: interrupted.
   */
  counts: { sent: number; refused: number; behind: number | null };
  /** The tester's share of a core: close to 1, the tester was the bottleneck. */
  testerBusy: number;
  errors: ErrorRow[];
}

/** A direct channel. Both can send. */
interface Pair {
  channelId: string;
  tokens: [string, string];
}

const WARM_UP_CONNECTIONS = 100;
/** Bytes per block in `blocks`. Source: stat(2). */
const BLOCK_BYTES = 512;

/** `ab -k` against the endpoint that sends a direct message, with random senders and receivers. */
export async function measureHttp(
  target: FanfareTarget,
  api: Api,
  plan: HttpPlan,
  { progress, errors, signal, defer }: RunContext,
): Promise<HttpMeasurement> {
  const { requests, payloadBytes, timeoutMs, calls } = plan;
  const pairs = await openPairs(api, plan, progress, signal);
  const thread = await HttpThread.open(
    {
      url: target.urls[0]!,
      connections: plan.concurrency,
      calls: pairs.flatMap(callsOf),
      message: { runId: newRunId(), payloadBytes },
    },
    signal,
  );
  defer(async () => void (await thread.close()));
  const connections = Math.min(WARM_UP_CONNECTIONS, plan.concurrency);
  if (plan.warmUp > 0) await thread.run({ connections, requests: plan.warmUp, timeoutMs, isWarmUp: true });
  const storedBefore = await storedIn(api, pairs, calls);
  const bytesBefore = target.platform && folderBytes(target.platform.folder);
  const cpuBefore = await target.cpuSeconds();
  const outcome = await progress.during(
    "sending messages",
    requests,
    () => thread.settled,
    () => thread.run({ connections: plan.concurrency, requests, timeoutMs }),
  );
  const cpuAfter = await target.cpuSeconds();
  const stored = signal.aborted ? null : (await storedIn(api, pairs, calls)) - storedBefore;
  const bytesAfter = target.platform && folderBytes(target.platform.folder);
  const usage = await target.usage();
  errors.addAll("rejected", outcome.refusals);
  errors.addAll("send", outcome.failures);
  const { sent, acknowledged, refused, unanswered, testerBusy } = outcome;
  const seconds = outcome.measuredMs / 1000;
  const cpuSeconds = cpuBefore === null || cpuAfter === null ? 0 : cpuAfter - cpuBefore;
  const behind = stored === null ? null : Math.max(0, acknowledged - stored);
  const percentiles = abPercentiles(outcome.latenciesMs);
  const at = (wanted: number) => percentiles?.find(({ percent }) => percent === wanted)?.ms ?? null;
  const isAllStored = stored !== null && stored >= acknowledged && seconds > 0;
  return {
    channels: pairs.length,
    values: {
      acknowledgedPerSecond: seconds > 0 ? acknowledged / seconds : null,
      // From the first request until all of them were in the database.
      storedPerSecond: isAllStored ? stored / seconds : null,
      ackP50Ms: at(50),
      ackP90Ms: at(90),
      ackP99Ms: at(99),
      ackP100Ms: at(100),
      sent,
      acknowledged,
      refused,
      unanswered,
      senderBusy: testerBusy,
      ...known({
        unstored: behind,
        stored,
        acknowledgedPerCpuSecond: cpuSeconds > 0 ? acknowledged / cpuSeconds : null,
        bytesPerMillion:
          bytesBefore !== undefined && bytesAfter !== undefined && stored
            ? ((bytesAfter - bytesBefore) / stored) * 1e6
            : null,
        rssBytes: usage?.rssBytes ?? null,
      }),
    },
    percentiles,
    counts: { sent, refused, behind },
    testerBusy,
    errors: errors.rows(),
  };
}

function callsOf({ channelId, tokens }: Pair): HttpCall[] {
  const params = { channelId };
  return tokens.map((token) => ({ method: "POST", path: "/api/message.send", token, params }));
}

/** Guests, and direct channels between random pairs of them. */
async function openPairs(
  api: Api,
  { users: count, channels, calls }: HttpPlan,
  progress: RunContext["progress"],
  signal: AbortSignal,
): Promise<Pair[]> {
  let done = 0;
  const work = async () => {
    const join = await createSharedGroup(api, signal);
    const register = async () => {
      const guest = await api.call("user.createGuest", {}, undefined, signal);
      await join(guest.accessToken);
      return guest;
    };
    const { users } = await registerAll(count, calls, register, () => done++);
    const open = async (): Promise<Pair> => {
      const first = randomInt(count);
      const second = (first + 1 + randomInt(count - 1)) % count;
      const [{ accessToken: token }, { user, accessToken }] = [users[first]!, users[second]!];
      const { channel } = await api.call("channel.openDirect", { userId: user.id }, token, signal);
      return { channelId: channel.id, tokens: [token, accessToken] };
    };
    const { users: pairs } = await registerAll(channels, calls, open, () => done++);
    // The same pair may have been drawn twice.
    return [...new Map(pairs.map((pair) => [pair.channelId, pair])).values()];
  };
  return progress.during("registering guests, opening channels", count + channels, () => done, work);
}

/** Messages in all channels: each counts its own. */
async function storedIn(api: Api, pairs: readonly Pair[], calls: number): Promise<number> {
  let stored = 0;
  const read = async (index: number) => {
    const { channelId, tokens } = pairs[index]!;
    const { head } = await api.call("message.list", { channelId, limit: 1 }, tokens[0]);
    stored += head.seq;
  };
  await registerAll(pairs.length, calls, read, () => {});
  return stored;
}

/** Disk usage of a folder's files. */
function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).reduce((sum, name) => {
    // A file may have been deleted meanwhile.
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (stat?.isFile() ? stat.blocks * BLOCK_BYTES : 0);
  }, 0);
}
