import { type Handler, serviceError } from "@fanfare/kernel";
import type { AdminDependencies } from "./admin.dependencies.ts";

export function listDeadJobs({ node }: AdminDependencies): Handler<"admin.listDeadJobs"> {
  return async ({ params: { beforeJobId, limit } }) => {
    const found = await node.jobs.listDead(limit, beforeJobId);
    const jobs = found.map(({ createdAt, deadAt, ...job }) => ({
      ...job,
      createdAt: createdAt.toISOString(),
      deadAt: deadAt.toISOString(),
    }));
    return { jobs, nextJobId: found.length === limit ? (found.at(-1)?.id ?? null) : null };
  };
}

export function retryJob({ node }: AdminDependencies): Handler<"admin.retryJob"> {
  return async ({ params: { jobId } }) => {
    if (!(await node.jobs.retryDead(jobId))) throw serviceError("JOB_NOT_FOUND");
    return {};
  };
}

export function deleteJob({ node }: AdminDependencies): Handler<"admin.deleteJob"> {
  return async ({ params: { jobId } }) => {
    if (!(await node.jobs.deleteDead(jobId))) throw serviceError("JOB_NOT_FOUND");
    return {};
  };
}
