import { z } from "zod";
import { id, time } from "./primitives.ts";

export const inviteCode = z.string().regex(/^[A-Za-z0-9_-]{6,32}$/, "must be an invite code");

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
