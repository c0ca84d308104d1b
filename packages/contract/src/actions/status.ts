import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";

const nothing = z.object({});

export const serverActions = {
  getStatus: action({
    summary: "Of the gateway that answers. By socket it shows the round trip at little cost.",
    params: nothing,
    result: z.object({ version: z.string(), uptimeMs: z.int() }),
    permission: { rule: "session" },
    mutates: false,
    botScope: null,
    cost: 1,
    answeredByGateway: true,
  }),
};

export const adminActions = {
  metrics: action({
    summary: "What all gateways did in the last minutes, in steps of some seconds, oldest first.",
    params: nothing,
    result: z.object({
      stepMs: z.int(),
      gateways: z.int().describe("gateways that answered; each thread of a process is one"),
      silentGateways: z.int().describe("gateways that did not answer in time, and are missing in the steps"),
      steps: z.array(e.MetricsStepSchema),
    }),
    permission: { rule: "admin" },
    mutates: false,
    botScope: null,
    cost: 5,
  }),
};

export const gatewayActions = {
  getSteps: action({
    summary: "What the gateway that answers did in the last minutes.",
    params: nothing,
    result: z.object({
      process: z.string().describe("gateways of one process share its memory"),
      steps: z.array(e.GatewayStepSchema),
    }),
    permission: { rule: "internal" },
    answeredByGateway: true,
  }),
};
