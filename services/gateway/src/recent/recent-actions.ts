import { hostname } from "node:os";
import { defineService, type NodeContext } from "@fanfare/kernel";
import manifest from "../../package.json" with { type: "json" };
import type { RecentSteps } from "./recent-steps.ts";

/** Threads of one process have its memory in common. */
const PROCESS = `${hostname()}:${process.pid}`;

/**
 * The actions that every gateway answers itself.
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
