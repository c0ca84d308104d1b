import { z } from "zod";
import { query } from "../define.ts";
import * as e from "../entities.ts";
import { forgetUser } from "./departure.ts";

export const pluginActions = {
  list: query({
    summary: "The plug-ins of this server that have something for clients.",
    result: z.object({ plugins: z.array(e.PagePluginSchema) }),
    permission: { rule: "session" },
  }),
  forgetUser: forgetUser("plug-ins remove what they have stored about the user."),
};

export const adminActions = {
  listPlugins: query({
    summary: "The plug-ins of this server, what they can do, and whether they run.",
    result: z.object({ plugins: z.array(e.InstalledPluginSchema) }),
    permission: { rule: "admin" },
  }),
};
