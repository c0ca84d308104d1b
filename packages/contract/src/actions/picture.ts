import { z } from "zod";
import { mutation, perMinute } from "../define.ts";
import * as e from "../entities.ts";

const uploaded = z.object({
  fileId: e.id.describe("a picture that the caller has uploaded by file.uploadPicture"),
});
const ownUser = z.object({ user: e.OwnUserSchema });
const group = z.object({ group: e.GroupSchema });

/** The pictures of users and groups: anybody who has their address may see them. */
export const userActions = {
  setAvatar: mutation({
    summary: "Show this picture with the caller's profile.",
    params: uploaded,
    result: ownUser,
    permission: { rule: "session" },
    errors: ["FILE_NOT_FOUND", "IMAGE_REFUSED"],
    rateLimit: perMinute(20),
  }),
  removeAvatar: mutation({
    summary: "Show no picture with the caller's profile. Repeatable.",
    result: ownUser,
    permission: { rule: "session" },
  }),
};

export const groupActions = {
  setIcon: mutation({
    summary: "Show this picture with the group.",
    params: e.inGroup.extend(uploaded.shape),
    result: group,
    permission: { rule: "group", can: "manageGroup" },
    audited: "group",
    errors: ["FILE_NOT_FOUND", "IMAGE_REFUSED"],
    rateLimit: perMinute(20),
  }),
  removeIcon: mutation({
    summary: "Show no picture with the group. Repeatable.",
    params: e.inGroup,
    result: group,
    permission: { rule: "group", can: "manageGroup" },
  }),
};
