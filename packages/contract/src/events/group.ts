import { z } from "zod";
import { event } from "../define.ts";
import * as e from "../entities.ts";

export const groupEvents = {
  "group.joined": event({
    summary: "The user is now in this group.",
    audience: "self",
    payload: z.object({ group: e.GroupSchema, channels: z.array(e.ChannelSchema) }),
  }),
  "group.left": event({
    summary: "The user is no longer in this group.",
    audience: "self",
    payload: z.object({ groupId: e.id, reason: z.enum(["left", "kicked", "banned", "deleted"]) }),
  }),
  "group.updated": event({
    summary: "The group has another name or owner.",
    audience: "group",
    payload: z.object({ group: e.GroupSchema }),
  }),
  "group.deleted": event({
    summary: "The group is gone.",
    audience: "group",
    payload: z.object({ groupId: e.id }),
  }),
  "member.joined": event({
    summary: "Users joined: gathered for a moment, and of a crowd only a part is listed.",
    audience: "group",
    payload: z.object({ groupId: e.id, members: z.array(e.MemberSchema), memberCount: z.int() }),
  }),
  "member.left": event({
    summary: "Users left, or were put out: gathered for a moment, and of a crowd only a part is listed.",
    audience: "group",
    payload: z.object({ groupId: e.id, userIds: z.array(e.id), memberCount: z.int() }),
  }),
  "member.updated": event({
    summary: "A member was muted or unmuted.",
    audience: "group",
    payload: z.object({ member: e.MemberSchema }),
  }),
};
