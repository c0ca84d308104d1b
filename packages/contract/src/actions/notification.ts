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
const preferences = z.object({ preferences: e.NotificationPreferencesSchema });
const key = (length: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${length}}={0,2}$`), "must be a key in base64url");

export const notificationActions = {
  get: query({
    summary: "The caller's own settings for a group or a channel.",
    params: place.refine(isOnePlace, ONE_PLACE),
    result: setting,
    permission: { rule: "session" },
    errors: placeErrors,
  }),
  set: mutation({
    summary:
      "Update the caller's own settings for a group or a channel: notifications, and whether it is a favorite or hidden. Omitted fields stay unchanged.",
    params: place
      .extend(e.notificationChanges)
      .refine(isOnePlace, ONE_PLACE)
      .refine(
        ({ channelId, suppressEveryone }) => channelId === undefined || suppressEveryone === undefined,
        "suppressEveryone is for groups",
      )
      .refine(
        ({ groupId, favorite, hidden }) => groupId === undefined || (favorite ?? hidden) === undefined,
        "favorite and hidden are for channels",
      ),
    result: setting,
    permission: { rule: "session" },
    errors: [...placeErrors, "LIMIT_REACHED"],
  }),
  list: query({
    summary:
      "A page of the caller's own settings for groups and channels, where they differ from the default.",
    params: e.page,
    result: z.object({ settings: z.array(e.NotificationSettingSchema), nextCursor: e.nextCursor }),
    permission: { rule: "session" },
  }),
  getPreferences: query({
    summary: "The caller's quiet hours, keywords and emails.",
    result: preferences,
    permission: { rule: "session" },
  }),
  setPreferences: mutation({
    summary: "Update the caller's quiet hours, keywords or emails. Omitted fields stay unchanged.",
    params: e.NotificationPreferencesSchema.omit({ emailsRefused: true }).partial(),
    result: preferences,
    permission: { rule: "session" },
    rateLimit: perMinute(60),
  }),
  unsubscribe: mutation({
    summary:
      "Turn off emails about missed messages with the token of such an email. Mail programs do it with `POST /unsubscribe?token=…`. Repeatable.",
    params: z.object({ token: z.string().min(1).max(LIMITS.unsubscribeTokenMaxChars) }),
    permission: { rule: "public" },
    errors: ["INVALID_LINK"],
    rateLimit: { ...perMinute(60), perAddress: true },
  }),
  setEmailsRefused: internal({
    summary:
      "Turn off emails about missed messages, because a mail server refused the address, or end that. Repeatable.",
    params: e.ofUser.extend({ refused: z.boolean() }),
  }),
};

export const pushActions = {
  getKey: query({
    summary: "The public key for push subscriptions to this server.",
    result: z.object({
      publicKey: z.string(),
      apps: z
        .array(z.enum(["fcm", "apns"]))
        .optional()
        .describe("services by which the server can reach apps; absent in earlier versions"),
    }),
    permission: { rule: "session" },
  }),
  subscribe: mutation({
    summary:
      "Subscribe this session to push notifications while the caller is not connected, according to their notification settings. It " +
      "replaces the session's earlier subscription, and ends with the session.",
    params: z.object({
      endpoint: z
        .url({ protocol: /^(?:https?|fcm|apns)$/ })
        .max(LIMITS.urlMaxChars)
        .describe("of the browser's push service; `fcm:` or `apns:` and the token of an app"),
      keys: z
        .object({ p256dh: key(87), auth: key(22) })
        .optional()
        .describe("of a browser"),
    }),
    permission: { rule: "session" },
    rateLimit: perMinute(20),
  }),
  unsubscribe: mutation({
    summary: "End a subscription of the caller, and that of this session. Repeatable.",
    params: z.object({ endpoint: z.string().max(LIMITS.urlMaxChars) }),
    permission: { rule: "session" },
  }),
  list: query({
    summary: "The caller's subscriptions.",
    result: z.object({
      subscriptions: z.array(
        z.object({
          sessionId: e.id,
          host: z.string().describe("of the push service; `fcm` or `apns` for an app"),
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
    params: e.ofUsers.extend({
      withDoNotDisturb: z.boolean().default(false).describe("also users in do-not-disturb mode"),
    }),
    result: z.object({ userIds: z.array(e.id) }),
  }),
};

/** A message in an email about missed ones, in the language of the reader. */
const missedItem = z.object({
  title: z.string().describe("who wrote it, and why it concerns the reader"),
  place: z.string().nullable().describe("null: a direct message"),
  at: e.time,
  text: z.string(),
});

export const channelActions = {
  listNames: internal({
    summary: "The names of channels in groups and of their groups. Deleted and direct channels are left out.",
    params: z.object({ channelIds: z.array(e.id).max(LIMITS.channelsPerSync) }),
    result: z.object({
      channels: z.array(z.object({ channelId: e.id, name: z.string(), groupName: z.string() })),
    }),
  }),
};

export const userActions = {
  findMailbox: internal({
    summary: "The language and last activity of a user who can be emailed.",
    params: e.ofUser,
    result: z.object({
      mailbox: z
        .object({
          locale: e.locale,
          activeAt: e.time.nullable().describe("when a session was last opened or refreshed"),
        })
        .nullable()
        .describe("null: the user has no verified address, or is disabled or deleted"),
    }),
  }),
  mailMissed: internal({
    summary: "Email a user about missed messages. Does nothing without a verified address.",
    params: e.ofUser.extend({
      items: z.array(missedItem).min(1),
      more: z.int().min(0).describe("further ones that are not in the email"),
      path: z.string().describe("of the newest one"),
      unsubscribePath: z.string(),
      key: z.string().describe("an email with the same key is sent once"),
    }),
  }),
  mailInvites: internal({
    summary: "Email invites to a group, in the language of their creator.",
    params: e.ofUser.extend({
      groupName: z.string(),
      invites: z.array(z.object({ code: e.inviteCode, email: e.email })).max(LIMITS.emailInvitesPerCall),
    }),
    result: z.object({
      refused: z
        .array(z.string())
        .describe("codes that were not sent, because a mail server refused the address"),
    }),
  }),
  listNames: internal({
    summary: "The display names of users.",
    params: e.ofUsers,
    result: z.object({ users: z.array(z.object({ userId: e.id, name: z.string() })) }),
  }),
  listSpokenTo: internal({
    summary: "The languages and active sessions of users. Deleted and disabled users are left out.",
    params: e.ofUsers,
    result: z.object({
      users: z.array(z.object({ userId: e.id, locale: e.locale, sessionIds: z.array(e.id) })),
    }),
  }),
};
