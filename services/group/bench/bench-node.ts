import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ActionName, Params, Result } from "@fanfare/contract";
import { loadConfig, startNode, type Actor, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { createMessageService } from "@fanfare/message";
import { createUserService } from "@fanfare/user";
import { createGroupService } from "../src/group.service.ts";

export interface BenchNode {
  node: NodeContext;
  as: <N extends ActionName>(actor: Actor | null, name: N, params: Params<N>) => Promise<Result<N>>;
  guest: () => Promise<Actor>;
}

type AnyCall = (name: string, params: unknown, options: object) => Promise<never>;

/** Runs a benchmark in a process with an embedded database and a temporary data folder. */
export async function withBenchNode(benchmark: (bench: BenchNode) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "fanfare-bench-"));
  let call: AnyCall | undefined;
  const caller: ServiceFactory = () => ({
    name: "caller",
    created() {
      call = (name, params, options) => this.broker.call(name, params, options);
    },
  });
  const config = loadConfig({ NODE_ENV: "test", OPS_PORT: "0", LOG_LEVEL: "warn", DATA_DIR: dataDir });
  try {
    const running = await startNode(
      config,
      [caller, createUserService, createGroupService, createMessageService],
      (error) => {
        throw error;
      },
    );
    const as: BenchNode["as"] = (actor, name, params) =>
      call!(name, params, { meta: { actor, requestId: "bench" } });
    await benchmark({
      node: running.context,
      as,
      guest: async () => {
        const { user, sessionId } = await as(null, "user.createGuest", {});
        return { userId: user.id, sessionId, kind: user.kind };
      },
    });
    await running.stop();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
