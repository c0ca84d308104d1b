import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { z } from "zod";
import { SETTINGS, type SettingName } from "./settings/index.ts";
import { notes } from "./values.ts";

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export const isSecret = (name: SettingName): boolean => notes.get(SETTINGS[name])!.secret === true;
export const exampleOf = (name: SettingName): string => notes.get(SETTINGS[name])!.example;

/** Validates each setting on its own; `inconsistencies` checks their combinations. */
export const Environment = z.object(SETTINGS);
export type Environment = z.output<typeof Environment>;

/** An invalid setting: the variable's name and how to correct it. Never contains a secret. */
export interface SettingError {
  name: string;
  message: string;
}

const MAX_CHARS = 64 * 1024;

export const FILE_SUFFIX = "_FILE";

/** Settings that can be read from files, which is how Docker and Kubernetes provide secrets. */
export const SECRET_NAMES: readonly SettingName[] = SETTING_NAMES.filter(isSecret);

/** Every variable that the program reads. */
export const VARIABLES: readonly string[] = [
  ...SETTING_NAMES,
  ...SECRET_NAMES.map((name) => `${name}${FILE_SUFFIX}`),
];

type Given = Record<string, string | undefined>;

/** Reads the files named by `<NAME>_FILE`. One trailing line break is removed. */
export function readSecretFiles(given: Given): { values: Given; faults: Map<SettingName, SettingError> } {
  const values: Given = {};
  const faults = new Map<SettingName, SettingError>();
  for (const name of SECRET_NAMES) {
    const variable = `${name}${FILE_SUFFIX}`;
    const path = given[variable];
    if (path === undefined) continue;
    try {
      if (given[name] !== undefined) throw new Error(`must not be set together with ${name}`);
      values[name] = readSecret(path);
    } catch (error) {
      faults.set(name, { name: variable, message: (error as Error).message });
    }
  }
  return { values, faults };
}

function readSecret(path: string): string {
  const secret = readText(path).replace(/\r?\n$/, "");
  if (secret === "") throw new Error(`names a file that is empty: ${path}`);
  if (secret.length > MAX_CHARS)
    throw new Error(`names a file of more than ${MAX_CHARS} characters: ${path}`);
  return secret;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = isPlace(path) ? message : `${code}, and is not shown: it may be the secret itself`;
    throw new Error(`names a file that cannot be read: ${reason}`, { cause: error });
  }
}

/** Whether the value looks like a path. If it doesn't, it may be the secret itself and must not be printed. */
function isPlace(path: string): boolean {
  const folder = dirname(path);
  return isAbsolute(path) && folder !== dirname(folder) && existsSync(folder);
}
