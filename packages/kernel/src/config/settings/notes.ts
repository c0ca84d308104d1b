import { z } from "zod";

/** What a person has to know of a setting besides what its schema says: the documents are made of it. */
interface Notes {
  /** What it does, in a sentence or two. */
  description: string;
  example: string;
  unit?: string;
  /** What holds without it, where that is not simply a default value. */
  otherwise?: string;
  /** When it has to be set. */
  required?: string;
  /** Never shown. `<NAME>_FILE` can name a file that has it. */
  secret?: true;
}

export const notes = z.registry<Notes>();
