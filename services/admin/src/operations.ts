import { statfs } from "node:fs/promises";
import { type Result, type Services, type GatewayStep, LIMITS, type MetricsStep } from "@fanfare/contract";
import { type Handlers, PROGRAM_VERSION, serviceError, within } from "@fanfare/kernel";
import type { AdminDependencies } from "./admin.dependencies.ts";
import { DISK_TIMEOUT_MS, STATS_MAX_AGE_MS } from "./constants.ts";

type Counts = Pick<Result<"admin.stats">, "users" | "online" | "groups" | "messages">;

type Disk = Result<"admin.stats">["process"]["disk"];

export function statusActions({ node, maintenance }: AdminDependencies): Handlers {
  const { dataDir, filesDir, s3, services: ownServices } = node.config;
  const counts = cached(STATS_MAX_AGE_MS, count);
  const disk = cached(STATS_MAX_AGE_MS, createDiskReader(s3 === undefined ? [dataDir, filesDir] : [dataDir]));
  return {
    "admin.stats": async ({ services }) => ({
      ...(await counts(services)),
      maintenance: await maintenance.read(),
      process: {
        version: PROGRAM_VERSION,
        nodeVersion: process.version,
        memoryBytes: process.memoryUsage.rss(),
        uptimeMs: Math.round(process.uptime() * 1000),
        services: [...ownServices],
        disk: await disk(),
      },
    }),
  };
}

/** @returns reads the free space of the disk of these folders that has the least */
export function createDiskReader(folders: readonly string[]): () => Promise<Disk> {
  const readers = folders.map(createFolderReader);
  return async () => {
    const found = await Promise.all(readers.map((read) => read()));
    const known = found.filter((disk) => disk !== null);
    return known.toSorted((one, other) => one.freeBytes - other.freeBytes)[0] ?? null;
  };
}

/** On a stale network mount, each call blocks a thread for as long as it hangs: there is only one at a time. */
function createFolderReader(folder: string): () => Promise<Disk> {
  let pending: Promise<Disk> | undefined;
  const read = async (): Promise<Disk> => {
    try {
      const { bavail, blocks, bsize } = await statfs(folder);
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    } catch {
      return null;
    } finally {
      pending = undefined;
    }
  };
  return () => within(DISK_TIMEOUT_MS, (pending ??= read())).catch(() => null);
}

/** An unavailable service must not hide the values of the others. */
async function count(services: Services): Promise<Counts> {
  const [users, online, groups, messages] = await Promise.allSettled([
    services.user.count({}),
    services.presence.count({}),
    services.group.count({}),
    services.message.count({}),
  ]);
  return {
    users: users.status === "fulfilled" ? users.value.users : null,
    online: online.status === "fulfilled" ? online.value.online : null,
    groups: groups.status === "fulfilled" ? groups.value.groups : null,
    messages: messages.status === "fulfilled" ? messages.value.messages : null,
  };
}

export const pluginActions: Handlers = {
  "admin.deletePluginData": ({ params, services }) => services.plugin.removeData(params),
};

export const jobActions = ({ node }: AdminDependencies): Handlers => ({
  "admin.listDeadJobs": async ({ params: { beforeJobId, limit } }) => {
    const [ms, id] = beforeJobId?.split("-") ?? [];
    const before = id === undefined ? undefined : { deadAt: new Date(Number(ms)), id };
    const found = await node.jobs.listDead(limit, before);
    const last = found.length === limit ? found.at(-1) : undefined;
    const jobs = found.map(({ createdAt, deadAt, ...job }) => ({
      ...job,
      createdAt: createdAt.toISOString(),
      deadAt: deadAt.toISOString(),
    }));
    return { jobs, nextJobId: last === undefined ? null : `${last.deadAt.getTime()}-${last.id}` };
  },

  "admin.retryJob": async ({ params: { jobId } }) => {
    if (!(await node.jobs.retryDead(jobId))) throw serviceError("JOB_NOT_FOUND");
    return {};
  },

  "admin.deleteJob": async ({ params: { jobId } }) => {
    if (!(await node.jobs.deleteDead(jobId))) throw serviceError("JOB_NOT_FOUND");
    return {};
  },
});

const METRICS_MAX_AGE_MS = 1000;
/** A gateway that doesn't respond must not block the others. */
const GATEWAY_TIMEOUT_MS = 2000;

type OfGateway = Result<"gateway.getSteps">;
type Named = GatewayStep & { process: string };

export function metricsActions({ node }: AdminDependencies): Handlers {
  const read = cached(METRICS_MAX_AGE_MS, async () => {
    const { results, unresponsive } = await node.callEach("gateway.getSteps", {}, GATEWAY_TIMEOUT_MS);
    return {
      stepMs: LIMITS.metricsStepMs,
      gateways: results.length,
      silentGateways: unresponsive,
      steps: mergeSteps(results),
    };
  });
  return { "admin.metrics": () => read() };
}

/** Merges the steps of all gateways, oldest first: counts are summed, and times are the maximum. */
export function mergeSteps(gateways: readonly OfGateway[]): MetricsStep[] {
  const steps = gateways.flatMap((gateway) =>
    gateway.steps.map((step): Named => ({ ...step, process: gateway.process })),
  );
  const byEnd = Map.groupBy(steps, ({ endedAtMs }) => endedAtMs);
  return [...byEnd]
    .toSorted(([one], [other]) => one - other)
    .slice(-LIMITS.metricsMaxSteps)
    .map(([endedAtMs, ofStep]) => mergeStep(endedAtMs, ofStep));
}

function mergeStep(endedAtMs: number, steps: readonly Named[]): MetricsStep {
  const perSecond = (count: (step: Named) => number): number =>
    sum(steps.map((step) => (count(step) / step.durationMs) * 1000));
  const memoryByProcess = new Map(steps.map(({ process, memoryBytes }) => [process, memoryBytes]));
  return {
    endedAt: new Date(endedAtMs).toISOString(),
    connections: sum(steps.map(({ connections }) => connections)),
    messagesPerSecond: perSecond(({ messages }) => messages),
    deliveriesPerSecond: perSecond(({ deliveries }) => deliveries),
    fanoutMs: fanoutOf(steps),
    eventLoopDelayMs: Math.max(...steps.map(({ eventLoopDelayMs }) => eventLoopDelayMs)),
    memoryBytes: sum([...memoryByProcess.values()]),
  };
}

function fanoutOf(steps: readonly GatewayStep[]): MetricsStep["fanoutMs"] {
  const byBound = Map.groupBy(
    steps.flatMap(({ fanout }) => fanout),
    ([upToMs]) => upToMs,
  );
  const buckets = [...byBound]
    .map(([upToMs, ofBound]) => ({ upToMs, count: sum(ofBound.map(([, count]) => count)) }))
    .toSorted((one, other) => one.upToMs - other.upToMs);
  const total = sum(buckets.map(({ count }) => count));
  if (total === 0) return null;
  const p100 = Math.max(...steps.map(({ fanoutMaxMs }) => fanoutMaxMs));
  /** As in Prometheus: linear interpolation within the bucket. */
  const percentile = (share: number): number => {
    let rank = total * share;
    let fromMs = 0;
    for (const { upToMs, count } of buckets) {
      if (count > 0 && rank <= count) return Math.min(p100, fromMs + ((upToMs - fromMs) * rank) / count);
      rank -= count;
      fromMs = upToMs;
    }
    return p100;
  };
  return { p50: percentile(0.5), p99: percentile(0.99), p100 };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Calls `read` again only when its last result is older than `maxAgeMs`, because several admins can poll concurrently. */
function cached<A extends unknown[], T>(maxAgeMs: number, read: (...given: A) => T): (...given: A) => T {
  let last: { result: T; readAtMs: number } | undefined;
  return (...given) => {
    const nowMs = Date.now();
    if (last === undefined || nowMs - last.readAtMs > maxAgeMs)
      last = { result: read(...given), readAtMs: nowMs };
    return last.result;
  };
}
