import { z } from "zod";
import { isSecret } from "../environment.ts";
import { FILE_SUFFIX } from "../secret-files.ts";
import { SETTINGS, type SettingName } from "../settings/index.ts";
import { notes } from "../settings/notes.ts";

const MEBIBYTE = 1024 * 1024;
/** No setting takes it that takes anything less than any text. */
const NONSENSE = "\0";

interface Facts {
  name: SettingName;
  description: string;
  /** What a value has to be, as a sentence; undefined: any text. */
  accepts: string | undefined;
  /** The value that holds without it, as it would be written; undefined: it is not simply a value. */
  standard: string | undefined;
  /** What holds without it, in words and Markdown; undefined: nothing does. */
  otherwise: string | undefined;
  required: string | undefined;
  example: string;
  /** The variable that can name a file with it. */
  fileVariable: string | undefined;
}

/** What the schema and the notes say of a setting. */
export function factsOf(name: SettingName): Facts {
  const schema = SETTINGS[name];
  const { description, example, unit, otherwise, required } = notes.get(schema)!;
  const refusal = schema.safeParse(NONSENSE).error?.issues[0]?.message;
  const value = schema instanceof z.ZodDefault ? written(schema.def.defaultValue) : undefined;
  const standard = otherwise === undefined ? value : undefined;
  return {
    name,
    description,
    accepts: refusal === undefined ? undefined : `It ${refusal}.`,
    standard,
    otherwise: otherwise ?? (standard === undefined ? undefined : withUnit(standard, unit)),
    required,
    example,
    fileVariable: isSecret(name) ? `${name}${FILE_SUFFIX}` : undefined,
  };
}

function written(value: unknown): string {
  return typeof value === "boolean" ? (value ? "on" : "off") : String(value);
}

function withUnit(value: string, unit: string | undefined): string {
  if (unit === "bytes") {
    const mebibytes = Number(value) / MEBIBYTE;
    return `\`${value}\` (${mebibytes < 1024 ? `${mebibytes} MiB` : `${mebibytes / 1024} GiB`})`;
  }
  return unit === undefined ? `\`${value}\`` : `\`${value}\` ${unit}`;
}
