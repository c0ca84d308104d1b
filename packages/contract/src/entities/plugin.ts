import { z } from "zod";
import { entity } from "./primitives.ts";

const place = z.object({ id: z.string(), title: z.string() });

/** What clients need of a plug-in. */
export const PagePluginSchema = entity("PagePlugin", {
  name: z.string(),
  title: z.string(),
  version: z.string(),
  page: z
    .object({
      path: z.string().describe("of its program, at this server"),
      integrity: z.string().describe("hash of the program, for the attribute of the same name"),
      actions: z.array(z.string()).describe("of the plug-in, that its program can call"),
      messageCards: z.array(z.string()).describe("it makes cards for links that start like this"),
      composerActions: z.array(place),
      panels: z.array(place),
    })
    .nullable(),
  commands: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      usage: z.string().describe("what follows the name; empty: nothing has to"),
      action: z
        .string()
        .describe(
          "called with `channelId` and `text`, what follows the name; its result can have a `notice`",
        ),
    }),
  ),
});
export type PagePlugin = z.output<typeof PagePluginSchema>;

/** What admins see of a plug-in: what it can do, and whether it runs. */
export const InstalledPluginSchema = entity("InstalledPlugin", {
  name: z.string(),
  title: z.string(),
  version: z.string(),
  description: z.string(),
  server: z
    .object({
      isRunning: z.boolean().describe("in all processes"),
      restarts: z.int().describe("of its program, in all processes"),
      lastError: z.string().nullable(),
      actions: z.array(
        z.object({
          name: z.string(),
          summary: z.string(),
          rule: z.enum(["session", "account", "group", "channel", "admin"]).describe("who can call it"),
          permission: z.string().nullable().describe("in the group or channel"),
        }),
      ),
      events: z.array(z.string()).describe("what it is notified of"),
      hosts: z.array(z.string()).describe("other servers that it can reach"),
      scopes: z.array(z.string()).describe("what it can do for the user who calls it"),
      settings: z.array(z.object({ variable: z.string(), description: z.string(), isSet: z.boolean() })),
    })
    .nullable(),
  page: z
    .object({
      actions: z.array(z.string()),
      messageCards: z.array(z.string()),
      composerActions: z.array(z.string()).describe("their titles"),
      panels: z.array(z.string()).describe("their titles"),
    })
    .nullable(),
  commands: z.array(z.string()),
});
export type InstalledPlugin = z.output<typeof InstalledPluginSchema>;
