import { z } from "zod";
import { internal, query, mutation } from "../define.ts";
import * as e from "../entities.ts";
import { forgetUser } from "./own-data.ts";

const ofPlugin = z.object({ plugin: z.string().min(1).max(32) });

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
  listPlugins: query({
    summary:
      "The plug-ins of all processes, what they can do, and whether they run. During an update, there can be several versions of one.",
    result: z.object({
      plugins: z.array(e.InstalledPluginSchema),
      leftovers: z
        .array(ofPlugin.extend({ values: z.int() }))
        .describe("what removed plug-ins have stored: see admin.deletePluginData"),
    }),
    permission: { rule: "admin" },
    isHeavy: true,
  }),
  deletePluginData: mutation({
    summary: "Delete everything that a plug-in has stored. The plug-in must be removed from PLUGINS first.",
    params: ofPlugin,
    permission: { rule: "admin" },
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

export const pluginActions = {
  list: query({
    summary: "The plug-ins of the gateway that answers, which have something for clients.",
    result: z.object({ plugins: z.array(e.PagePluginSchema) }),
    permission: { rule: "session" },
    answeredByGateway: true,
  }),
  forgetUser: forgetUser("plug-ins remove what they have stored about the user."),
  listInstalled: internal({
    summary: "The plug-ins of the process that answers.",
    result: z.object({ plugins: z.array(e.InstalledPluginSchema) }),
  }),
  removeData: internal({
    summary: "Delete everything that a removed plug-in has stored.",
    params: ofPlugin,
  }),
};
