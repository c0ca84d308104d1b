import os from "node:os";
import { openFanfareApi } from "../commands/open-fanfare.ts";
import { buildDirectScene, type DirectSize } from "../load/direct-scene.ts";
import type { LoadPlan } from "../load/load-plan.ts";
import { measureSends } from "../load/send-run.ts";
import { ErrorTable } from "../measure/error-table.ts";
import type { CommandContext } from "../run-command.ts";
import { nodesRows, type NodesMeasurement, type NodesPass } from "./nodes-result.ts";

export interface NodesPlan {
  nodes: readonly number[];
  passes: number;
  size: DirectSize;
  load: LoadPlan;
}

/**
 * Runs the same load against a new cluster of each size. On an abort signal, the result is what was measured
 * until then.
 */
export async function measureNodes(context: CommandContext, plan: NodesPlan): Promise<NodesMeasurement> {
  const passes: NodesPass[] = [];
  try {
    for (let pass = 0; pass < plan.passes; pass++) {
      for (const nodes of plan.nodes) {
        context.signal.throwIfAborted();
        passes.push(await measureOnce(context, plan, nodes));
      }
    }
  } catch (error) {
    if (!context.signal.aborted) throw error;
  }
  return { cores: os.availableParallelism(), rows: nodesRows(passes), passes };
}

/** The cluster is stopped before the next one starts, or it would take cores from it. */
async function measureOnce(
  { progress, signal }: CommandContext,
  { size, load }: NodesPlan,
  nodes: number,
): Promise<NodesPass> {
  const cleanUps: (() => Promise<void>)[] = [];
  const errors = new ErrorTable();
  const context = { errors, signal, defer: (cleanUp: () => Promise<void>) => void cleanUps.push(cleanUp) };
  try {
    const cluster = { gateways: nodes, workers: nodes };
    const place = { cluster, registrations: load.window };
    const { target, api } = await openFanfareApi(context, place, load.window);
    const scene = await buildDirectScene({ api, concurrency: load.window, progress, signal }, size);
    const measurement = await measureSends({ target, plan: load, progress, errors, signal }, scene, api);
    return { nodes, ...measurement };
  } finally {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  }
}
