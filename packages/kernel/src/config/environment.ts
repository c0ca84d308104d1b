import { z } from "zod";
import { SETTINGS, type SettingName } from "./settings/index.ts";
import { notes } from "./settings/notes.ts";

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export const isSecret = (name: SettingName): boolean => notes.get(SETTINGS[name])!.secret === true;
export const exampleOf = (name: SettingName): string => notes.get(SETTINGS[name])!.example;

/** Each setting by itself; `faultsBetween` says what they ask of each other. */
export const Environment = z.object(SETTINGS);
export type Environment = z.output<typeof Environment>;

/** What was given is wrong: the name of a variable, and what to do about it. Never with the value of a secret. */
export interface Fault {
  name: string;
  message: string;
}
