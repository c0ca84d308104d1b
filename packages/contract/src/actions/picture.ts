import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";

const uploaded = z.object({
  fileId: e.id.describe("a picture that the caller has uploaded by file.uploadPicture"),
});
const ofGroup = z.object({ groupId: e.id });
const ownUser = z.object({ user: e.OwnUserSchema });
const group = z.object({ group: e.GroupSchema });

/** The pictures of users and groups: anybody who has their address may see them. */
export const userActions = {
  setAvatar: action({
    summary: "Show this picture with the caller's profile.",
    params: uploaded,
    result: ownUser,
    permission: { rule: "session" },
    mutates: true,
    botScope: null,
    cost: 4,
    errors: ["FILE_NOT_FOUND", "IMAGE_REFUSED"],
    rateLimit: { points: 20, durationMs: 60_000 },
  }),
  removeAvatar: action({
    summary: "Show no picture with the caller's profile. Repeatable.",
    params: z.object({}),
    result: ownUser,
    permission: { rule: "session" },
    mutates: true,
    botScope: null,
    cost: 2,
  }),
};

export const groupActions = {
  setIcon: action({
    summary: "Show this picture with the group.",
    params: ofGroup.extend(uploaded.shape),
    result: group,
    permission: { rule: "group", can: "manageGroup" },
    mutates: true,
    botScope: null,
    cost: 4,
    audited: "group",
    errors: ["FILE_NOT_FOUND", "IMAGE_REFUSED"],
    rateLimit: { points: 20, durationMs: 60_000 },
  }),
  removeIcon: action({
    summary: "Show no picture with the group. Repeatable.",
    params: ofGroup,
    result: group,
    permission: { rule: "group", can: "manageGroup" },
    mutates: true,
    botScope: null,
    cost: 2,
  }),
};
