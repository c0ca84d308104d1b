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
      kind: z.string().describe("what it is: profile, session, block, membership, message, …"),
      data: z.unknown(),
    }),
  ),
  nextCursor: cursor.nullable().describe("null: this is the last page; a page may be empty before"),
});

/** A service that stores personal data has one. */
const exportUser = (what: string) => ({
  ...internal({
    summary: `A page of what there is of a user: ${what}`,
    params: z.object({ userId: e.id, cursor: cursor.nullable() }),
    result: page,
  }),
  exportsUser: true as const,
});

export const userActions = {
  exportMyData: query({
    summary: "A page of everything that there is of the caller, as JSON.",
    params: z.object({ cursor: cursor.optional() }),
    result: page,
    permission: { rule: "session" },
    isHeavy: true,
    rateLimit: perMinute(120),
  }),
  exportUser: exportUser("profile, sessions, blocks."),
};

export const fileActions = {
  exportUser: exportUser("files, but not their bytes: file.getUrl leads to those."),
};

export const groupActions = {
  exportUser: exportUser("memberships."),
  listOwnChannels: internal({
    summary:
      "A page of the channels and threads of the groups that a user is or was in, and of direct channels that they have left, whether they see them or not; or of the direct channels that they are in.",
    params: z.object({ userId: e.id, of: z.enum(["groups", "direct"]), cursor: cursor.nullable() }),
    result: z.object({ channelIds: z.array(e.id), nextCursor: cursor.nullable() }),
  }),
};

export const friendActions = {
  exportUser: exportUser("friends, requests, and who may reach them."),
};

export const inboxActions = {
  exportUser: exportUser("notification settings and subscriptions to pushes."),
};

export const messageActions = {
  exportUser: exportUser("messages, those in groups that they have left included."),
};
