import { createHash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { z } from "zod";
import { PLUGIN_LIMITS, parseManifest, type PluginManifest } from "./manifest.ts";

/** A plug-in that can't be used, and what to do. */
export class PluginError extends Error {
  override readonly name = "PluginError";
}

export interface PageFile {
  /** Contains a hash of the content, so that it can be cached. */
  path: string;
  content: Buffer;
  /** For the attribute of the same name. */
  integrity: string;
}

export interface Plugin {
  folder: string;
  manifest: PluginManifest;
  page: PageFile | null;
}

/**
 * Reads the plug-ins of these folders, without running them.
 * @throws {PluginError}
 */
export function readPlugins(folders: readonly string[]): Plugin[] {
  if (folders.length > PLUGIN_LIMITS.plugins)
    throw new PluginError(`PLUGINS names ${folders.length} plug-ins: ${PLUGIN_LIMITS.plugins} are possible.`);
  const plugins = folders.map(readPlugin);
  assertDistinct(
    plugins,
    ({ manifest }) => [manifest.name],
    (name) => `are both named ${name}`,
  );
  assertDistinct(
    plugins,
    ({ manifest }) => manifest.commands.map((command) => command.name),
    (name) => `both have the command /${name}`,
  );
  return plugins;
}

function readPlugin(folder: string): Plugin {
  const fail = (reason: string): never => {
    throw new PluginError(
      `The plug-in in ${folder} can't be used: ${reason}. Correct it, or remove the folder from PLUGINS.`,
    );
  };
  const read = (file: string, maxBytes: number): Buffer => {
    const path = join(folder, file);
    try {
      const { size } = statSync(path);
      if (size > maxBytes) fail(`${file} has more than ${maxBytes} bytes`);
      return readFileSync(path);
    } catch (error) {
      if (error instanceof PluginError) throw error;
      return fail(`${file} can't be read (${(error as Error).message})`);
    }
  };
  // Node's permission model follows links out of the folder.
  const link = symbolicLinkIn(folder, fail);
  if (link !== undefined) fail(`${link} is a symbolic link; copy what it leads to`);
  const text = read("plugin.json", PLUGIN_LIMITS.manifestMaxBytes).toString();
  const manifest = parse(text, fail);
  const { server, page } = manifest;
  if (server !== undefined) read(server.file, Number.MAX_SAFE_INTEGER);
  return {
    folder: realpathSync(folder),
    manifest,
    page:
      page === undefined
        ? null
        : pageFile(manifest.name, page.file, read(page.file, PLUGIN_LIMITS.pageMaxBytes)),
  };
}

/** @returns its path within the folder */
function symbolicLinkIn(folder: string, fail: (reason: string) => never): string | undefined {
  try {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    const link = files.find((file) => file.isSymbolicLink());
    return link === undefined ? undefined : relative(folder, join(link.parentPath, link.name));
  } catch (error) {
    return fail(`its folder can't be read (${(error as Error).message})`);
  }
}

function parse(text: string, fail: (reason: string) => never): PluginManifest {
  try {
    return parseManifest(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return fail(`plugin.json is not JSON (${error.message})`);
    if (!(error instanceof z.ZodError)) throw error;
    const issues = error.issues.slice(0, 5).map(({ path, message }) => `${path.join(".")}: ${message}`);
    return fail(`plugin.json: ${issues.join("; ")}`);
  }
}

function pageFile(plugin: string, file: string, content: Buffer): PageFile {
  const hash = createHash("sha384").update(content).digest();
  return {
    path: `/plugins/${plugin}/${hash.toString("hex").slice(0, 16)}/${file}`,
    content,
    integrity: `sha384-${hash.toString("base64")}`,
  };
}

function assertDistinct(
  plugins: readonly Plugin[],
  namesOf: (plugin: Plugin) => readonly string[],
  what: (name: string) => string,
): void {
  const folders = new Map<string, string>();
  for (const plugin of plugins)
    for (const name of namesOf(plugin)) {
      const other = folders.get(name);
      if (other !== undefined)
        throw new PluginError(
          `The plug-ins in ${other} and ${plugin.folder} ${what(name)}. Remove one of them from PLUGINS.`,
        );
      folders.set(name, plugin.folder);
    }
}

const SETTING_MAX_CHARS = 4096;

/** The environment variable of a setting: `PLUGIN_GITHUB_API_URL` for `apiUrl` of the plug-in github. */
export function variableOf(plugin: string, setting: string): string {
  return `PLUGIN_${plugin}_${setting.replaceAll(/[A-Z]/g, "_$&")}`.toUpperCase();
}

/**
 * The values of a plug-in's settings. Secrets can be in the file that `<variable>_FILE` names.
 * @throws {PluginError}
 */
export function readSettings(
  { name, server }: PluginManifest,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [setting, { secret, required, default: fallback }] of Object.entries(server?.settings ?? {})) {
    const variable = variableOf(name, setting);
    const value = (env[variable] || (secret ? fromFile(`${variable}_FILE`, env) : undefined)) ?? fallback;
    if (value !== undefined && value.length > SETTING_MAX_CHARS)
      throw new PluginError(`${variable} has more than ${SETTING_MAX_CHARS} characters.`);
    if (value !== undefined) values[setting] = value;
    else if (required)
      throw new PluginError(
        `${variable} is required by the plug-in ${name}. Set it, or remove the plug-in from PLUGINS.`,
      );
  }
  return values;
}

function fromFile(variable: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const path = env[variable];
  if (path === undefined || path === "") return undefined;
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new PluginError(
      `${variable} names a file that can't be read (${(error as NodeJS.ErrnoException).code}).`,
      { cause: error },
    );
  }
}
