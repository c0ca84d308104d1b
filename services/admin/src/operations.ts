import { statfs } from "node:fs/promises";
import type { Result, Services } from "@fanfare/contract";
import { type Handlers, PROGRAM_VERSION, serviceError, within } from "@fanfare/kernel";
import type { AdminDependencies } from "./admin.dependencies.ts";
import { cached } from "./cached.ts";
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
