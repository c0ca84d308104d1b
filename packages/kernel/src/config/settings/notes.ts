import { z } from "zod";

/** Documentation of a setting beyond its schema, used to generate the reference. */
interface Notes {
  /** Its effect, in one or two sentences. */
  description: string;
  example: string;
  unit?: string;
  /** The behavior if it is not set, unless that is a default value. */
  defaultText?: string;
  /** When it is required. */
  required?: string;
  /** Never shown; can be read from the file named by `<NAME>_FILE`. */
  secret?: true;
}

export const notes = z.registry<Notes>();
