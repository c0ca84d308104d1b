import { z } from "zod";
import { LIMITS } from "../limits.ts";

/** A word or phrase: it is compared without regard to capitals, and to the width or composition of characters. */
export const filteredWord = z
  .string()
  .trim()
  .min(1)
  .max(LIMITS.filteredWordMaxChars)
  .regex(/[\p{L}\p{N}\p{S}]/u, "must have a letter, a digit or a symbol");
export const wordFilterAction = z
  .enum(["block", "mask"])
  .describe("block: the message is refused with MESSAGE_FILTERED. mask: each character becomes a dot");

export const WordFilterSchema = z
  .object({ words: z.array(z.string()), onHit: wordFilterAction })
  .meta({ id: "WordFilter" });
export type WordFilter = z.output<typeof WordFilterSchema>;
