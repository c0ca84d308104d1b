import { z } from "zod";
import { internal, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const cursor = z
  .string()
  .regex(/^[A-Za-z0-9_.-]+$/, "must be a cursor of the page before")
  .max(LIMITS.exportCursorMaxChars);
const page = z.object({
  items: z.array(
    z.object({
      kind: z.string().describe("type of the entry: profile, session, block, membership, message, …"),
      data: z.unknown(),
    }),
  ),
  nextCursor: cursor.nullable().describe("null: this is the last page; earlier pages can be empty"),
});

/** Every service that stores personal data needs one. */
const exportUser = (what: string) => ({
  ...internal({
    summary: `A page of a user's data: ${what}`,
    params: z.object({ userId: e.id, cursor: cursor.nullable() }),
    result: page,
  }),
  exportsUser: true as const,
});

export const userActions = {
  exportMyData: query({
    summary: "A page of all data of the caller, as JSON.",
    params: z.object({ cursor: cursor.optional() }),
    result: page,
    permission: { rule: "session" },
    isHeavy: true,
    rateLimit: perMinute(120),
  }),
  exportUser: exportUser("profile, sessions, blocks."),
};

export const fileActions = {
  exportUser: exportUser("files, without their content: see file.getUrl."),
};

export const groupActions = {
  exportUser: exportUser("memberships."),
  listOwnChannels: internal({
    summary:
      "A page of the channels and threads in a user's current and former groups and of direct channels that they left, visible to them or not; or of their direct channels.",
    params: z.object({ userId: e.id, of: z.enum(["groups", "direct"]), cursor: cursor.nullable() }),
    result: z.object({ channelIds: z.array(e.id), nextCursor: cursor.nullable() }),
  }),
};

export const friendActions = {
  exportUser: exportUser("friends, friend requests and privacy settings."),
};

export const inboxActions = {
  exportUser: exportUser("notification settings, quiet hours, keywords and push subscriptions."),
};

export const messageActions = {
  exportUser: exportUser("messages, including those in former groups."),
};
