import { z } from "zod";
import { id, time } from "./primitives.ts";

export const InviteSchema = z
  .object({
    code: z.string(),
    groupId: id,
    createdBy: id,
    uses: z.int(),
    maxUses: z.int().nullable(),
    expiresAt: time.nullable(),
    createdAt: time,
  })
  .meta({ id: "Invite" });
export type Invite = z.output<typeof InviteSchema>;
