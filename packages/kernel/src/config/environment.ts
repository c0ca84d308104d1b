import { z } from "zod";
import { SETTINGS, type SettingName } from "./settings/index.ts";
import { notes } from "./settings/notes.ts";

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
