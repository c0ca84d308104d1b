import { readFileSync } from "node:fs";
import type { PluginManifest } from "./manifest.ts";
import { PluginError } from "./read-plugins.ts";

const VALUE_MAX_CHARS = 4096;

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
    if (value !== undefined && value.length > VALUE_MAX_CHARS)
      throw new PluginError(`${variable} has more than ${VALUE_MAX_CHARS} characters.`);
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
