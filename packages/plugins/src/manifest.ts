import { botScope, type ActionDefinition, PERMISSIONS, type PermissionName } from "@fanfare/contract";
import { z } from "zod";

/** The version of the API that this server has. */
const API_VERSION = 1;

const name = z
  .string()
  .regex(/^[a-z][a-z0-9]{1,31}$/, "must be 2-32 lowercase letters and digits, starting with a letter");
const camelCase = z
  .string()
  .regex(/^[a-z][A-Za-z0-9]{0,31}$/, "must be up to 32 letters and digits, such as getCard");
const line = (maxChars: number) => z.string().trim().min(1).max(maxChars);
const file = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\.m?js$/, "must be a .js file in the folder of the plug-in");
const permissionName = z.enum(Object.keys(PERMISSIONS) as [PermissionName, ...PermissionName[]]);
/** Not `public`: calls without a login would have no limits per user. */
const permission = z.discriminatedUnion("rule", [
  z.strictObject({ rule: z.enum(["session", "account", "admin"]) }),
  z.strictObject({ rule: z.enum(["group", "channel"]), can: permissionName }),
]);

const action = z.strictObject({
  summary: line(300),
  permission,
  /** Whether it changes something: such actions are rejected during maintenance. */
  mutates: z.boolean().default(false),
  rateLimit: z
    .strictObject({ points: z.int().min(1).max(10_000), durationMs: z.int().min(1000).max(3_600_000) })
    .default({ points: 100, durationMs: 10_000 }),
});

const setting = z.strictObject({
  description: line(300),
  secret: z.boolean().default(false),
  required: z.boolean().default(false),
  default: z.string().max(1000).optional(),
});
export type PluginSetting = z.output<typeof setting>;

/** An origin, or a setting whose value is one: `{api}`. */
const host = z.union([
  z
    .string()
    .regex(/^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/, "must be an origin such as https://api.example.org"),
  z.string().regex(/^\{[a-z][A-Za-z0-9]{0,31}\}$/, "must be an origin, or a setting such as {api}"),
]);

const server = z.strictObject({
  file,
  actions: z.record(camelCase, action).default({}),
  events: z.array(z.enum(["message.stored", "channel.emptied", "user.deleted"])).default([]),
  hosts: z.array(host).max(20).default([]),
  /** What it can do for the user who called it. */
  scopes: z.array(botScope.exclude(["commands", "events"])).default([]),
  settings: z.record(camelCase, setting).default({}),
});

const place = z.strictObject({ id: camelCase, title: line(60) });
const page = z.strictObject({
  file,
  /** Its own plug-in's actions that it can call. */
  actions: z.array(camelCase).default([]),
  /** It makes cards for links in messages that start like this. */
  messageCards: z
    .array(
      z
        .string()
        .max(200)
        .regex(/^https?:\/\/[^\s/]+\//, "must be the start of links, such as https://example.org/"),
    )
    .max(20)
    .default([]),
  composerActions: z.array(place).max(10).default([]),
  panels: z.array(place).max(10).default([]),
});

const command = z.strictObject({
  name: z.string().regex(/^[a-z0-9_-]{1,32}$/, "must be 1-32 of a-z, 0-9, '_' and '-'"),
  description: line(100),
  /** What follows the name, such as `question`. */
  usage: line(60).optional(),
  /** The action that runs it. */
  action: camelCase,
});

const Manifest = z
  .strictObject({
    fanfare: z.literal(
      API_VERSION,
      `must be ${API_VERSION}, the version of the plug-in API that this server has`,
    ),
    name,
    version: line(32),
    title: line(60),
    description: line(300),
    server: server.optional(),
    page: page.optional(),
    commands: z.array(command).max(20).default([]),
  })
  .check(({ value: { server: ofServer, page: ofPage, commands }, issues }) => {
    const fault = (path: (string | number)[], message: string, input: unknown) =>
      issues.push({ code: "custom", path, message, input });
    const actions = ofServer?.actions ?? {};
    const settings = ofServer?.settings ?? {};
    if (ofServer === undefined && ofPage === undefined)
      fault(["server"], "must have a server, a page or both", undefined);
    if (Object.keys(actions).length > PLUGIN_LIMITS.actionsPerPlugin)
      fault(["server", "actions"], `must be at most ${PLUGIN_LIMITS.actionsPerPlugin}`, actions);
    for (const [index, called] of (ofPage?.actions ?? []).entries())
      if (!Object.hasOwn(actions, called))
        fault(["page", "actions", index], "must be one of server.actions", called);
    for (const [index, each] of commands.entries())
      if (actions[each.action]?.permission.rule !== "channel")
        fault(
          ["commands", index, "action"],
          "must be one of server.actions with the rule channel",
          each.action,
        );
    for (const [index, each] of (ofServer?.hosts ?? []).entries())
      if (each.startsWith("{") && !Object.hasOwn(settings, each.slice(1, -1)))
        fault(["server", "hosts", index], "must be one of server.settings", each);
    for (const places of [ofPage?.panels ?? [], ofPage?.composerActions ?? []])
      if (new Set(places.map(({ id }) => id)).size < places.length)
        fault(["page"], "must not use an id twice in panels or composerActions", places);
  });
export type PluginManifest = z.output<typeof Manifest>;

/** @throws {z.ZodError} */
export function parseManifest(json: unknown): PluginManifest {
  return Manifest.parse(json);
}

/** The full name of an action. */
export const pluginAction = (plugin: string, action: string): string => `plugin.${plugin}.${action}`;

const id = z.string().regex(/^[0-9a-f]{24}$/, "must be an id of 24 hexadecimal digits");
const PARAMS = {
  group: z.looseObject({ groupId: id }),
  channel: z.looseObject({ channelId: id }),
} as const;

/**
 * The definitions of a plug-in's actions by their full names. Their params are only checked for the id of the permission rule: the
 * plug-in checks the rest.
 */
export function actionsOf({
  name: plugin,
  server: ofServer,
}: PluginManifest): Record<string, ActionDefinition> {
  return Object.fromEntries(
    Object.entries(ofServer?.actions ?? {}).map(
      ([own, { summary, permission: rule, mutates, rateLimit }]) => [
        pluginAction(plugin, own),
        {
          summary,
          params: rule.rule === "group" || rule.rule === "channel" ? PARAMS[rule.rule] : z.looseObject({}),
          result: z.unknown(),
          permission: rule,
          mutates,
          botScope: null,
          errors: ["PLUGIN_FAILED", "PLUGIN_REFUSED"],
          rateLimit,
          transports: ["socket", "http"],
          // It can wait for another server.
          waitsForBot: true,
        } satisfies ActionDefinition,
      ],
    ),
  );
}

/** Limits of plug-ins. */
export const PLUGIN_LIMITS = {
  plugins: 20,
  actionsPerPlugin: 50,
  /** Of plugin.json, and of the page's file. */
  manifestMaxBytes: 64 * 1024,
  pageMaxBytes: 512 * 1024,
  keyMaxChars: 200,
  /** Of what a plug-in publishes to its panels, as JSON. */
  publishedMaxChars: 4096,
  /** Of a stored value, as JSON. */
  valueMaxChars: 16 * 1024,
  valuesPerPlugin: 10_000,
  valuesPerPage: 1000,
  /** The values of a page: it ends before the first one that exceeds it. */
  pageMaxChars: 512 * 1024,
} as const;
