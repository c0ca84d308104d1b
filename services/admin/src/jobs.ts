import { type Handlers, serviceError } from "@fanfare/kernel";
import type { AdminDependencies } from "./admin.dependencies.ts";

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
