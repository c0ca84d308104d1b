import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const place = z.object({ groupId: e.id.optional(), channelId: e.id.optional() });
const isOnePlace = ({ groupId, channelId }: z.output<typeof place>): boolean =>
  (groupId === undefined) !== (channelId === undefined);
const ONE_PLACE = "give either groupId or channelId";
const placeErrors = ["GROUP_NOT_FOUND", "CHANNEL_NOT_FOUND"] as const;
const setting = z.object({ setting: e.NotificationSettingSchema });
const key = (length: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${length}}={0,2}$`), "must be a key in base64url");

export const notificationActions = {
  get: query({
    summary: "The caller's notification setting for a group or a channel.",
    params: place.refine(isOnePlace, ONE_PLACE),
    result: setting,
    permission: { rule: "session" },
    errors: placeErrors,
  }),
  set: mutation({
    summary: "Update a notification setting of the caller. Omitted fields stay unchanged.",
    params: place
      .extend(e.notificationChanges)
      .refine(isOnePlace, ONE_PLACE)
      .refine(
        ({ channelId, suppressEveryone }) => channelId === undefined || suppressEveryone === undefined,
        "suppressEveryone is for groups",
      ),
    result: setting,
    permission: { rule: "session" },
    errors: [...placeErrors, "LIMIT_REACHED"],
  }),
  list: query({
    summary: "A page of the caller's notification settings that differ from the default.",
    params: z.object({
      cursor: e.id.optional().describe("the nextCursor of the page before"),
      limit: e.pageLimit,
    }),
    result: z.object({
      settings: z.array(e.NotificationSettingSchema),
      nextCursor: e.id.nullable().describe("null: this is the last page"),
    }),
    permission: { rule: "session" },
  }),
};

export const pushActions = {
  getKey: query({
    summary: "The public key for push subscriptions to this server.",
    result: z.object({
      publicKey: z.string().nullable().describe("null: push is not enabled on this server"),
    }),
    permission: { rule: "session" },
  }),
  subscribe: mutation({
    summary:
      "Subscribe this session to push notifications while the caller is not connected, according to their notification settings. It " +
      "replaces the session's earlier subscription, and ends with the session.",
    params: z.object({
      endpoint: z
        .url({ protocol: /^https?$/ })
        .max(LIMITS.urlMaxChars)
        .describe("of the browser's push service"),
      keys: z.object({ p256dh: key(87), auth: key(22) }),
    }),
    permission: { rule: "session" },
    errors: ["PUSH_OFF"],
    rateLimit: perMinute(20),
  }),
  unsubscribe: mutation({
    summary: "End a subscription of the caller. Repeatable.",
    params: z.object({ endpoint: z.string().max(LIMITS.urlMaxChars) }),
    permission: { rule: "session" },
  }),
  list: query({
    summary: "The caller's subscriptions.",
    result: z.object({
      subscriptions: z.array(
        z.object({
          sessionId: e.id,
          host: z.string().describe("of the push service"),
          createdAt: e.time,
        }),
      ),
    }),
    permission: { rule: "session" },
  }),
};

export const presenceActions = {
  listAway: internal({
    summary: "The given users who are not connected and not in do-not-disturb mode.",
    params: z.object({ userIds: z.array(e.id).min(1).max(LIMITS.usersPerLookup) }),
    result: z.object({ userIds: z.array(e.id) }),
  }),
};

export const userActions = {
  listNames: internal({
    summary: "The display names of users.",
    params: z.object({ userIds: z.array(e.id).min(1).max(LIMITS.usersPerLookup) }),
    result: z.object({ users: z.array(z.object({ userId: e.id, name: z.string() })) }),
  }),
  listSpokenTo: internal({
    summary: "The languages and active sessions of users. Deleted and disabled users are left out.",
    params: z.object({ userIds: z.array(e.id).min(1).max(LIMITS.usersPerLookup) }),
    result: z.object({
      users: z.array(z.object({ userId: e.id, locale: e.locale, sessionIds: z.array(e.id) })),
    }),
  }),
};
