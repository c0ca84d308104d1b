import { z } from "zod";
import { id, time } from "./primitives.ts";

export const GroupSchema = z
  .object({ id, name: z.string(), ownerId: id, memberCount: z.int(), createdAt: time })
  .meta({ id: "Group" });
export type Group = z.output<typeof GroupSchema>;

export const MemberSchema = z
  .object({ groupId: id, userId: id, mutedUntil: time.nullable(), joinedAt: time })
  .meta({ id: "Member" });
export type Member = z.output<typeof MemberSchema>;
