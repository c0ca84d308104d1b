import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";
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

const token = z
  .string()
  .min(1)
  .max(LIMITS.secretMaxChars)
  .describe("From the setup link that a production server prints at startup while it has no admin.");
/** The token has 256 random bits, so this limits the load rather than guesses. */
const setupLimit = { ...perMinute(20), perAddress: true, exact: true, unscaled: true } as const;

export const userActions = {
  setUpAdmin: mutation({
    summary:
      "Create the first admin's account with a setup link, and log in. Works even if registration is closed or restricted to mail domains.",
    params: z.object({
      token,
      username: e.newUsername,
      password: e.password,
      locale: e.locale.optional(),
    }),
    result: e.SessionTokensSchema,
    permission: { rule: "public" },
    startsSession: true,
    errors: ["INVALID_LINK", "OIDC_REQUIRED", "USERNAME_TAKEN", "WEAK_PASSWORD"],
    rateLimit: setupLimit,
    transports: ["http"],
  }),
  becomeAdmin: mutation({
    summary: "Become the first admin with a setup link. All other sessions of the account end.",
    params: z.object({ token }),
    result: e.SessionTokensSchema,
    permission: { rule: "account" },
    startsSession: true,
    errors: ["INVALID_LINK"],
    rateLimit: setupLimit,
    transports: ["http"],
  }),
  createSetupToken: internal({
    summary: "Create a token for a setup link. It works until it expires or the instance has an admin.",
    result: z.object({ token: z.string() }),
  }),
  adminState: internal({
    summary: "Whether this instance has an admin, and how the first one is created.",
    result: z.object({
      state: z
        .enum(["exists", "firstToRegister", "none"])
        .describe(
          "firstToRegister: the first account becomes admin (only outside production). none: no account is an admin",
        ),
    }),
  }),
};
