import { z } from "zod";
import { mutation, perMinute } from "../define.ts";
import * as e from "../entities.ts";

const uploaded = z.object({
  fileId: e.id.describe("a picture uploaded by the caller with file.uploadPicture"),
});
const ownUser = z.object({ user: e.OwnUserSchema });
const group = z.object({ group: e.GroupSchema });

/** The pictures of users and groups. They are public to everyone who knows their URL. */
export const userActions = {
  setAvatar: mutation({
    summary: "Set the caller's profile picture.",
    params: uploaded,
    result: ownUser,
    permission: { rule: "session" },
    errors: ["FILE_NOT_FOUND", "IMAGE_REFUSED"],
    rateLimit: perMinute(20),
  }),
  removeAvatar: mutation({
    summary: "Remove the caller's profile picture. Repeatable.",
    result: ownUser,
    permission: { rule: "session" },
  }),
};

export const groupActions = {
  setIcon: mutation({
    summary: "Set the group's icon.",
    params: e.inGroup.extend(uploaded.shape),
    result: group,
    permission: { rule: "group", can: "manageGroup" },
    audited: "group",
    errors: ["FILE_NOT_FOUND", "IMAGE_REFUSED"],
    rateLimit: perMinute(20),
  }),
  removeIcon: mutation({
    summary: "Remove the group's icon. Repeatable.",
    params: e.inGroup,
    result: group,
    permission: { rule: "group", can: "manageGroup" },
  }),
};
