import { z } from "zod";
import { id, time } from "./primitives.ts";

export const GroupSchema = z
  .object({
    id,
    name: z.string(),
    description: z.string(),
    ownerId: id,
    memberCount: z.int(),
    iconUrl: z.string().nullable().describe("path at this server, for anybody"),
    defaultChannelId: id.nullable().describe("what newcomers see first; null: the first that they see"),
    defaultPermissions: z.int().describe("what every member may: bits, see PERMISSIONS"),
    retentionDays: z
      .int()
      .nullable()
      .describe("older messages are removed; null: no limit of the group's own"),
    createdAt: time,
  })
  .meta({ id: "Group" });
export type Group = z.output<typeof GroupSchema>;

export const MemberSchema = z
  .object({
    groupId: id,
    userId: id,
    roleIds: z.array(id).describe("besides the default role, which everybody has"),
    mutedUntil: time.nullable(),
    joinedAt: time,
  })
  .meta({ id: "Member" });
export type Member = z.output<typeof MemberSchema>;
