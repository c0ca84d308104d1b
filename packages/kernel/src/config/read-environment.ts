import { Environment, isSecret, SETTING_NAMES, type Fault } from "./environment.ts";
import { misspelledSettings } from "./misspelled.ts";
import { faultsBetween } from "./rules.ts";
import { FILE_SUFFIX, readSecretFiles } from "./secret-files.ts";
import type { SettingName } from "./settings/index.ts";

const LONGEST_SHOWN = 60;

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

type Given = Record<string, string | undefined>;

/**
 * The settings among the variables. One that is empty is not set.
 * @throws {ConfigError} that lists every fault at once
 */
export function readEnvironment(variables: Given): Environment {
  const own = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const files = readSecretFiles(own);
  const given = { ...own, ...files.values };
  const faults = [...files.faults.values()];
  const faulty = new Set<SettingName>(files.faults.keys());
  for (const { path, message } of Environment.safeParse(given).error?.issues ?? []) {
    const name = path[0] as SettingName;
    faulty.add(name);
    faults.push({ name, message: `${message}${shown(name, given[name])}` });
  }
  const sound = Object.entries(given).filter(([name]) => !faulty.has(name as SettingName));
  const env = Environment.parse(Object.fromEntries(sound));
  faults.push(...faultsBetween({ env, isFaulty: (name) => faulty.has(name) }));
  if (faults.length > 0) {
    throw new ConfigError(
      [listOf(faults), ...misspelledSettings(variables).map((line) => `  ${line}`)].join("\n"),
    );
  }
  return env;
}

/** What was given, for what is no secret. */
function shown(name: SettingName, value: string | undefined): string {
  if (value === undefined || isSecret(name)) return "";
  // No setting of these has a password in its address, but somebody may have put one there.
  const harmless = value.replace(/\/\/.*@/s, "//…@");
  return `, not ${JSON.stringify(harmless.length > LONGEST_SHOWN ? `${harmless.slice(0, LONGEST_SHOWN)}…` : harmless)}`;
}

function listOf(faults: readonly Fault[]): string {
  const place = ({ name }: Fault): number =>
    SETTING_NAMES.findIndex((setting) => name === setting || name === `${setting}${FILE_SUFFIX}`);
  const lines = faults
    .toSorted((a, b) => place(a) - place(b))
    .map(({ name, message }) => `  ${name}: ${message}`);
  return `The configuration has faults (docs/configuration.md explains every setting):\n${[...new Set(lines)].join("\n")}`;
}
