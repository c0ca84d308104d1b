import { z } from "zod";
import { internal, mutation, query } from "../define.ts";
import * as e from "../entities.ts";
import { forgetUser } from "./own-data.ts";

const ofPlugin = z.object({ plugin: z.string().min(1).max(32) });

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

export const adminActions = {
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
