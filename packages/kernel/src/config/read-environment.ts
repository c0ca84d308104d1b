import {
  Environment,
  type SettingError,
  isSecret,
  SETTING_NAMES,
  FILE_SUFFIX,
  readSecretFiles,
  VARIABLES,
} from "./environment.ts";
import { inconsistencies } from "./rules.ts";
import type { SettingName } from "./settings/index.ts";

const MAX_SHOWN_CHARS = 60;

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

type Given = Record<string, string | undefined>;

/**
 * Reads the settings from environment variables. Empty variables count as not set.
 * @throws {ConfigError} listing all errors
 */
export function readEnvironment(variables: Given): Environment {
  const own = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const files = readSecretFiles(own);
  const given = { ...own, ...files.values };
  const faults = [...files.faults.values()];
  const invalid = new Set<SettingName>(files.faults.keys());
  const { data, error } = Environment.safeParse(given);
  for (const { path, message } of error?.issues ?? []) {
    const name = path[0] as SettingName;
    invalid.add(name);
    faults.push({ name, message: `${message}${shown(name, given[name])}` });
  }
  const valid = Object.entries(given).filter(([name]) => !invalid.has(name as SettingName));
  const env = data !== undefined && invalid.size === 0 ? data : Environment.parse(Object.fromEntries(valid));
  faults.push(...inconsistencies({ env, isInvalid: (name) => invalid.has(name) }));
  if (faults.length > 0) {
    throw new ConfigError(
      [listOf(faults), ...misspelledSettings(variables).map((line) => `  ${line}`)].join("\n"),
    );
  }
  return env;
}

/** The given value, unless the setting is secret. */
function shown(name: SettingName, value: string | undefined): string {
  if (value === undefined || isSecret(name)) return "";
  // These addresses need no password, but the operator may have included one.
  const harmless = value.replace(/\/\/.*@/s, "//…@");
  return `, not ${JSON.stringify(harmless.length > MAX_SHOWN_CHARS ? `${harmless.slice(0, MAX_SHOWN_CHARS)}…` : harmless)}`;
}

function listOf(faults: readonly SettingError[]): string {
  const place = ({ name }: SettingError): number =>
    SETTING_NAMES.findIndex((setting) => name === setting || name === `${setting}${FILE_SUFFIX}`);
  const lines = faults
    .toSorted((a, b) => place(a) - place(b))
    .map(({ name, message }) => `  ${name}: ${message}`);
  return `The configuration has errors (docs/run/configuration.md describes all settings):\n${[...new Set(lines)].join("\n")}`;
}

/** Shorter names are too similar to unrelated variables. */
const MIN_CHARS = 7;
const LONG_CHARS = 10;

/**
 * Describes variables that are one typo away from an unset setting. Only near misses are reported, because every environment
 * contains variables of other programs.
 */
export function misspelledSettings(variables: Record<string, string | undefined>): string[] {
  const isSet = (name: string): boolean => (variables[name] ?? "") !== "";
  const known = new Set(VARIABLES);
  const missing = VARIABLES.filter((name) => name.length >= MIN_CHARS && !isSet(name));
  return Object.keys(variables)
    .filter((name) => !known.has(name) && isSet(name))
    .flatMap((name) => {
      const meant = missing.find((setting) => isNearMiss(name, setting));
      return meant === undefined ? [] : [`${name} is not a setting of Fanfare. Did you mean ${meant}?`];
    });
}

function isNearMiss(name: string, setting: string): boolean {
  const most = setting.length < LONG_CHARS ? 1 : 2;
  // The lengths rule out nearly all names, which saves a noticeable part of the start.
  return Math.abs(name.length - setting.length) <= most && slips(name, setting) <= most;
}

/** Edit distance with transpositions (optimal string alignment). */
function slips(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const differs = a[row - 1] === b[column - 1] ? 0 : 1;
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line[column] = Math.min(
        rows[row - 1]![column]! + 1,
        line[column - 1]! + 1,
        rows[row - 1]![column - 1]! + differs,
        swapped ? rows[row - 2]![column - 2]! + 1 : Infinity,
      );
    }
    rows.push(line);
  }
  return rows[a.length]![b.length]!;
}
