import { hostname } from "node:os";
import type { ActionName } from "@fanfare/contract";
import { defineService, type NodeContext } from "@fanfare/kernel";
import manifest from "../../package.json" with { type: "json" };
import type { RecentSteps } from "./recent-steps.ts";

/** Threads of one process have its memory in common. */
const PROCESS = `${hostname()}:${process.pid}`;

/** What a gateway itself answers: of an instance, wherever its threads are. */
export const GATEWAY_ACTIONS = [
  "server.getStatus",
  "gateway.getSteps",
] as const satisfies readonly ActionName[];

/**
 * What a gateway tells of itself.
 * @param recent undefined while it does not run
 */
export function recentActions(node: NodeContext, recent: () => RecentSteps | undefined) {
  return defineService(node, {
    name: "gateway",
    actions: {
      "server.getStatus": () => ({
        version: manifest.version,
        uptimeMs: Math.round(process.uptime() * 1000),
      }),
      "gateway.getSteps": () => ({ process: PROCESS, steps: [...(recent()?.steps ?? [])] }),
    },
  }).actions;
}
