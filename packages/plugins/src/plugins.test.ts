import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { actionsOf, parseManifest } from "./manifest.ts";
import { readPlugins, readSettings, variableOf } from "./read-plugins.ts";

const EXAMPLES = fileURLToPath(new URL("../../../plugins/", import.meta.url));
const VALID = {
  fanfare: 1,
  name: "dice",
  version: "1",
  title: "Dice",
  description: "Rolls dice.",
  server: {
    file: "server.js",
    actions: { roll: { summary: "Roll.", permission: { rule: "channel", can: "sendMessages" } } },
    settings: {
      apiUrl: { description: "Where." },
      token: { description: "Key.", secret: true, required: true },
    },
  },
};
const withServer = (server: object) => ({ ...VALID, server: { ...VALID.server, ...server } });
const issuesOf = (json: unknown): string[] => {
  try {
    parseManifest(json);
    return [];
  } catch (error) {
    return (error as { issues: { path: PropertyKey[] }[] }).issues.map(({ path }) => path.join("."));
  }
};

describe("plugin.json", () => {
  test("a valid one has defaults", () => {
    expect(parseManifest(VALID).server).toMatchObject({
      hosts: [],
      scopes: [],
      events: [],
      actions: { roll: { mutates: false, rateLimit: { points: 100, durationMs: 10_000 } } },
    });
  });

  test.for([
    ["another version of the API", { ...VALID, fanfare: 2 }, "fanfare"],
    ["a name that could be another plug-in's action", { ...VALID, name: "dice.roll" }, "name"],
    ["a file outside of its folder", withServer({ file: "../server.js" }), "server.file"],
    [
      "an action that anyone can call",
      withServer({ actions: { roll: { summary: "Roll.", permission: { rule: "public" } } } }),
      "server.actions.roll.permission.rule",
    ],
    [
      "an unknown permission",
      withServer({ actions: { roll: { summary: "Roll.", permission: { rule: "group", can: "fly" } } } }),
      "server.actions.roll.permission.can",
    ],
    ["a scope for bots only", withServer({ scopes: ["events"] }), "server.scopes.0"],
    ["a host with a path", withServer({ hosts: ["https://example.org/path"] }), "server.hosts.0"],
    ["a host of a setting that it doesn't have", withServer({ hosts: ["{other}"] }), "server.hosts.0"],
    [
      "a page that calls an action of another",
      { ...VALID, page: { file: "page.js", actions: ["other"] } },
      "page.actions.0",
    ],
    [
      "cards for all links",
      { ...VALID, page: { file: "page.js", messageCards: ["https://"] } },
      "page.messageCards.0",
    ],
    ["neither a server nor a page", { ...VALID, server: undefined }, "server"],
    [
      "a command for an action without a channel",
      {
        ...withServer({ actions: { roll: { summary: "Roll.", permission: { rule: "session" } } } }),
        commands: [{ name: "roll", description: "Roll", action: "roll" }],
      },
      "commands.0.action",
    ],
    ["an unknown field", { ...VALID, network: true }, ""],
  ] as const)("%s is rejected", ([, json, path]) => {
    expect(issuesOf(json)).toEqual([path]);
  });

  test("its actions are prefixed, and check the id of their rule", () => {
    const actions = actionsOf(parseManifest(VALID));
    expect(Object.keys(actions)).toEqual(["plugin.dice.roll"]);
    const { params, botScope, transports } = actions["plugin.dice.roll"]!;
    expect({ botScope, transports }).toEqual({ botScope: null, transports: ["socket", "http"] });
    const channelId = "0123456789abcdef01234567";
    expect(params.parse({ channelId, sides: 6 })).toEqual({ channelId, sides: 6 });
    for (const wrong of [{}, { channelId: { $ne: "" } }, [], null])
      expect(params.safeParse(wrong).success).toBe(false);
  });
});

describe("settings", () => {
  const manifest = parseManifest(VALID);

  test("are variables with the name of the plug-in", () => {
    expect(variableOf("dice", "apiUrl")).toBe("PLUGIN_DICE_API_URL");
    const env = {
      PLUGIN_DICE_API_URL: "https://example.org",
      PLUGIN_DICE_TOKEN: "secret",
      PLUGIN_OTHER_TOKEN: "x",
    };
    expect(readSettings(manifest, env)).toEqual({ apiUrl: "https://example.org", token: "secret" });
  });

  test("a required one must be set, and a secret can be in a file", async () => {
    expect(() => readSettings(manifest, { PLUGIN_DICE_TOKEN: "" })).toThrow(/PLUGIN_DICE_TOKEN is required/);
    const folder = await mkdtemp(join(tmpdir(), "fanfare-plugin-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "token");
    await writeFile(file, "secret\n");
    expect(readSettings(manifest, { PLUGIN_DICE_TOKEN_FILE: file })).toEqual({ token: "secret" });
    expect(() => readSettings(manifest, { PLUGIN_DICE_TOKEN_FILE: join(folder, "none") })).toThrow(/ENOENT/);
    // Only secrets.
    const url = { PLUGIN_DICE_TOKEN: "secret", PLUGIN_DICE_API_URL_FILE: file };
    expect(readSettings(manifest, url)).toEqual({ token: "secret" });
  });
});

describe("reading the folders", () => {
  test("the examples can be used, and the address of a page has the hash of its content", async () => {
    const [github, quickpoll] = readPlugins([join(EXAMPLES, "github"), join(EXAMPLES, "quickpoll")]);
    expect(github!.manifest.name).toBe("github");
    expect(quickpoll!.page!.content).toEqual(await readFile(join(EXAMPLES, "quickpoll/page.js")));
    expect(quickpoll!.page!.path).toMatch(/^\/plugins\/quickpoll\/[0-9a-f]{16}\/page\.js$/);
    expect(github!.page!.integrity).not.toBe(quickpoll!.page!.integrity);
  });

  test("two with the same name or command are rejected", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fanfare-plugin-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const example = join(EXAMPLES, "quickpoll");
    await cp(example, folder, { recursive: true });
    expect(() => readPlugins([example, folder])).toThrow(/both named quickpoll/);
    const json = await readFile(join(folder, "plugin.json"), "utf8");
    await writeFile(join(folder, "plugin.json"), json.replace('"name": "quickpoll"', '"name": "other"'));
    expect(() => readPlugins([example, folder])).toThrow(/both have the command \/quickpoll/);
  });

  test("a page that is too large is rejected", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fanfare-plugin-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await cp(join(EXAMPLES, "github"), folder, { recursive: true });
    await writeFile(join(folder, "page.js"), " ".repeat(600_000));
    expect(() => readPlugins([folder])).toThrow(/page\.js has more than/);
  });

  test.for(["plugin.json", "page.js", "lib/environ"])(
    "a symbolic link is rejected, because it can lead out of the folder (%s)",
    async (file) => {
      const folder = await mkdtemp(join(tmpdir(), "fanfare-plugin-"));
      onTestFinished(() => rm(folder, { recursive: true }));
      await cp(join(EXAMPLES, "github"), folder, { recursive: true });
      await mkdir(join(folder, "lib"));
      await rm(join(folder, file), { force: true });
      await symlink(join(EXAMPLES, "github", "plugin.json"), join(folder, file));
      expect(() => readPlugins([folder])).toThrow(new RegExp(`${file} is a symbolic link`));
    },
  );
});
