import { z } from "zod";
import { id } from "./primitives.ts";

/** What a user wants others to see while connected. */
export const ownStatus = z.enum(["online", "idle", "doNotDisturb", "invisible"]);

export const PresenceSchema = z
  .object({
    userId: id,
    status: z.enum(["online", "idle", "doNotDisturb", "offline"]).describe("offline: also who is invisible"),
  })
  .meta({ id: "Presence" });
export type Presence = z.output<typeof PresenceSchema>;
