import type { Result, Services } from "@fanfare/contract";
import { type Handlers, PROGRAM_VERSION, serviceError } from "@fanfare/kernel";
import type { AdminDependencies } from "./admin.dependencies.ts";
import { cached } from "./cached.ts";

type Counts = Pick<Result<"admin.stats">, "users" | "online" | "groups" | "messages">;

/** Limits the load from open status pages. */
const COUNTS_MAX_AGE_MS = 10_000;

export function statusActions({ node, maintenance }: AdminDependencies): Handlers {
  const counts = cached(COUNTS_MAX_AGE_MS, count);
  return {
    "admin.stats": async ({ services }) => ({
      ...(await counts(services)),
      maintenance: await maintenance.read(),
      process: {
        version: PROGRAM_VERSION,
        nodeVersion: process.version,
        memoryBytes: process.memoryUsage.rss(),
        uptimeMs: Math.round(process.uptime() * 1000),
        services: [...node.config.services],
      },
    }),
  };
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
    const found = await node.jobs.listDead(limit, beforeJobId);
    const jobs = found.map(({ createdAt, deadAt, ...job }) => ({
      ...job,
      createdAt: createdAt.toISOString(),
      deadAt: deadAt.toISOString(),
    }));
    return { jobs, nextJobId: found.length === limit ? (found.at(-1)?.id ?? null) : null };
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
