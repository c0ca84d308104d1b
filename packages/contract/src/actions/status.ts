import { z } from "zod";
import { internal, query } from "../define.ts";
import * as e from "../entities.ts";

export const serverActions = {
  getStatus: query({
    summary: "The version and uptime of the gateway; a cheap call to measure the round trip.",
    result: z.object({ version: z.string(), uptimeMs: z.int() }),
    permission: { rule: "session" },
    answeredByGateway: true,
  }),
};

export const adminActions = {
  metrics: query({
    summary: "Metrics of all gateways of the last ten minutes, in steps of five seconds, oldest first.",
    result: z.object({
      stepMs: z.int(),
      gateways: z.int().describe("gateways that answered; each thread of a process is one"),
      silentGateways: z
        .int()
        .describe("gateways that did not respond in time, and are missing from the steps"),
      steps: z.array(e.MetricsStepSchema),
    }),
    permission: { rule: "admin" },
    isHeavy: true,
  }),
};

export const gatewayActions = {
  getSteps: internal({
    summary: "Metrics of this gateway for the last minutes.",
    result: z.object({
      process: z.string().describe("gateways of one process share its memory"),
      steps: z.array(e.GatewayStepSchema),
    }),
    answeredByGateway: true,
  }),
};
