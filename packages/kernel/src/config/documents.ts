import { SETTING_NAMES } from "./environment.ts";
import { FILE_SUFFIX, SECRET_NAMES } from "./secret-files.ts";

/** Every variable that the program reads, those that name files of secrets included. */
export const VARIABLES: readonly string[] = [
  ...SETTING_NAMES,
  ...SECRET_NAMES.map((name) => `${name}${FILE_SUFFIX}`),
];
