import { z } from "zod";
import { id, time } from "./primitives.ts";

export const SessionSchema = z
  .object({
    id,
    current: z.boolean().describe("whether it is the one that asks"),
    address: z.string().nullable().describe("where it was opened from"),
    userAgent: z.string().nullable().describe("what it was opened with, in its own words"),
    createdAt: time,
    refreshedAt: time.describe("when it last got new tokens"),
  })
  .meta({ id: "Session" });
export type Session = z.output<typeof SessionSchema>;
