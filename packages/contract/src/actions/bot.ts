import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";
import { botScope } from "../scopes.ts";
import { forgetUser } from "./departure.ts";

const nothing = z.object({});
const minute = 60_000;
const ofBot = z.object({ groupId: e.id, botId: e.id });
const botResult = z.object({ bot: e.BotSchema });
const tokenResult = botResult.extend({ token: z.string().describe("shown this once only") });
const scopes = z
  .array(botScope)
  .max(botScope.options.length)
  .transform((list) => [...new Set(list)])
  .pipe(z.array(botScope));
const manages = { rule: "group", can: "manageWebhooks" } as const;
const ofUser = z.object({ userId: e.id });
const internal = { rule: "internal" } as const;

export const botActions = {
  create: action({
    summary:
      "Create a bot as a member of the group. Its token is used like an access token and works until it is rotated.",
    params: z.object({
      groupId: e.id,
      name: e.nickname,
      scopes,
      roleIds: z.array(e.id).max(LIMITS.rolesPerMember).default([]).describe("as by role.assign"),
    }),
    result: tokenResult,
    permission: manages,
    mutates: true,
    botScope: null,
    cost: 3,
    audited: "bot",
    errors: ["LIMIT_REACHED", "ROLE_NOT_FOUND"],
    rateLimit: { points: 10, durationMs: minute },
  }),
  list: action({
    summary: "The bots of a group.",
    params: z.object({ groupId: e.id }),
    result: z.object({ bots: z.array(e.BotSchema).max(LIMITS.botsPerGroup) }),
    permission: manages,
    mutates: false,
    botScope: null,
    cost: 1,
  }),
  update: action({
    summary:
      "Update a bot's name. The bot's creator and the group's owner can also update its scopes, which reconnects its sockets.",
    params: ofBot.extend({ name: e.nickname.optional(), scopes: scopes.optional() }),
    result: botResult,
    permission: manages,
    mutates: true,
    botScope: null,
    cost: 2,
    audited: "bot",
    errors: ["BOT_NOT_FOUND"],
    rateLimit: { points: 20, durationMs: minute },
  }),
  rotateToken: action({
    summary:
      "Issue a new token, for the bot's creator and the group's owner. The old one stops working at once, and its sockets close.",
    params: ofBot,
    result: tokenResult,
    permission: manages,
    mutates: true,
    botScope: null,
    cost: 2,
    audited: "bot",
    errors: ["BOT_NOT_FOUND"],
    rateLimit: { points: 10, durationMs: minute },
  }),
  delete: action({
    summary: "Delete a bot permanently. Its messages stay.",
    params: ofBot,
    result: nothing,
    permission: manages,
    mutates: true,
    botScope: null,
    cost: 3,
    audited: "bot",
    errors: ["BOT_NOT_FOUND"],
  }),
  listTokens: action({
    summary: "A page of the bot and webhook tokens that the user holds in all groups, newest first.",
    params: z.object({
      before: e.id.optional().describe("the nextBefore of the page before"),
      limit: z.int().min(1).max(LIMITS.pageMaxItems).default(50),
    }),
    result: z.object({
      tokens: z.array(e.HeldTokenSchema).max(LIMITS.pageMaxItems),
      nextBefore: e.id.nullable().describe("null: this is the last page"),
    }),
    permission: { rule: "session" },
    mutates: false,
    botScope: null,
    cost: 1,
  }),
  revokeToken: action({
    summary:
      "Revoke a token that the user holds, even if they can no longer manage bots. A bot stays, without a token or callback; a webhook is deleted.",
    params: z.object({ kind: e.heldTokenKind, id: e.id }),
    result: nothing,
    permission: { rule: "session" },
    mutates: true,
    botScope: null,
    cost: 2,
    errors: ["BOT_NOT_FOUND", "WEBHOOK_NOT_FOUND"],
    rateLimit: { points: 60, durationMs: minute },
  }),
  me: action({
    summary: "The bot that calls.",
    params: nothing,
    result: botResult,
    permission: { rule: "session" },
    mutates: false,
    botScope: "any",
    cost: 1,
    errors: ["BOTS_ONLY"],
  }),
  subscribe: action({
    summary:
      "Subscribe to events in the channels that the bot can see, delivered by HTTP POST from now on. Replaces an earlier subscription. " +
      "Each event is delivered at least once; see docs/bots.md for the signature.",
    params: z.object({
      url: e.httpAddress,
      secret: z
        .string()
        .min(LIMITS.callbackSecretMinChars)
        .max(LIMITS.secretMaxChars)
        .describe("that the callbacks are signed with"),
      events: z.array(e.botEvent).min(1).max(e.botEvent.options.length),
    }),
    result: botResult,
    permission: { rule: "session" },
    mutates: true,
    botScope: "events",
    cost: 2,
    errors: ["BOTS_ONLY"],
    rateLimit: { points: 10, durationMs: minute },
  }),
  unsubscribe: action({
    summary: "Stop the deliveries by HTTP.",
    params: nothing,
    result: botResult,
    permission: { rule: "session" },
    mutates: true,
    botScope: "events",
    cost: 2,
    errors: ["BOTS_ONLY"],
  }),
  authenticate: action({
    summary: "The bot that a token belongs to.",
    params: z.object({ token: z.string().max(LIMITS.botTokenMaxChars) }),
    result: z.object({ userId: e.id, sessionId: e.id, scopes: z.array(botScope) }),
    permission: internal,
    errors: ["UNAUTHENTICATED"],
  }),
  forgetUser: forgetUser("their webhooks go, or the whole bot if the user is one."),
  revokeTokensOf: action({
    summary: "Revoke all webhook and bot tokens that a user holds. Repeatable.",
    params: ofUser.extend({
      deleteBots: z.boolean().describe("false: bots stay, without a token or callback"),
    }),
    result: nothing,
    permission: internal,
  }),
  disconnectHeldBy: action({
    summary: "Disconnect the bots whose tokens a user has, who has been disabled. Repeatable.",
    params: ofUser,
    result: nothing,
    permission: internal,
  }),
};

export const userActions = {
  createBot: action({
    summary: "A user for a bot.",
    params: z.object({ name: e.nickname }),
    result: z.object({ user: e.UserSchema }),
    permission: internal,
  }),
  renameBot: action({
    summary: "Another name for a bot.",
    params: ofUser.extend({ name: e.nickname }),
    result: nothing,
    permission: internal,
    errors: ["USER_NOT_FOUND"],
  }),
  openBotSession: action({
    summary: "A session for a bot's token, without an end; all its others end.",
    params: ofUser,
    result: z.object({ sessionId: e.id }),
    permission: internal,
    errors: ["USER_NOT_FOUND"],
  }),
  hasBotSession: action({
    summary: "Whether a bot's session lives.",
    params: ofUser.extend({ sessionId: e.id }),
    result: z.object({ isAlive: z.boolean() }),
    permission: internal,
  }),
  isActive: action({
    summary: "Whether there is such a user, neither disabled nor deleted.",
    params: ofUser,
    result: z.object({ isActive: z.boolean() }),
    permission: internal,
  }),
  deleteBot: action({
    summary: "Delete a bot's user: like user.deleteMe. Repeatable.",
    params: ofUser,
    result: nothing,
    permission: internal,
  }),
};

export const groupActions = {
  admitBot: action({
    summary: "Make a bot a member. Repeatable.",
    params: ofUser.extend({ groupId: e.id }),
    result: nothing,
    permission: internal,
    errors: ["INVITE_NOT_FOUND"],
  }),
  listSeenChannels: action({
    summary: "The text channels of a group that a user sees: none where they are no member.",
    params: ofUser.extend({ groupId: e.id }),
    result: z.object({ channels: z.array(z.object({ channelId: e.id, createdAt: e.time })) }),
    permission: internal,
  }),
};

const inChannel = z.object({ channelId: e.id });

export const commandActions = {
  register: action({
    summary: "What the bot does when somebody in its group writes `/name`. The same name replaces it.",
    params: z.object({
      name: e.commandName,
      description: e.nickname,
      options: z.array(e.CommandOptionSchema).max(LIMITS.optionsPerCommand).default([]),
    }),
    result: z.object({ command: e.CommandSchema }),
    permission: { rule: "session" },
    mutates: true,
    botScope: "commands",
    cost: 2,
    errors: ["BOTS_ONLY", "COMMAND_NAME_TAKEN", "LIMIT_REACHED"],
  }),
  unregister: action({
    summary: "Take a command of the bot back. Where there is none, nothing happens.",
    params: z.object({ name: e.commandName }),
    result: nothing,
    permission: { rule: "session" },
    mutates: true,
    botScope: "commands",
    cost: 2,
    errors: ["BOTS_ONLY"],
  }),
  list: action({
    summary: "The commands of the bots that see this channel, by name. Almost always one page.",
    params: inChannel.extend({
      afterName: e.commandName.optional().describe("the nextName of the page before"),
    }),
    result: z.object({
      commands: z.array(e.CommandSchema),
      nextName: e.commandName.nullable().describe("null: this is the last page"),
    }),
    permission: { rule: "channel", can: "view" },
    mutates: false,
    botScope: "group.read",
    cost: 2,
  }),
  invoke: action({
    summary:
      "Have a bot do something. It hears `command.invoked`, and answers with a message, if it has something to say.",
    params: inChannel.extend({
      name: e.commandName,
      text: z.string().max(LIMITS.messageMaxChars).default(""),
    }),
    result: z.object({ invocation: e.InvocationSchema }),
    permission: { rule: "channel", can: "sendMessages" },
    mutates: true,
    botScope: null,
    cost: 3,
    errors: ["MUTED", "COMMAND_NOT_FOUND"],
    rateLimit: { points: 20, durationMs: 10_000 },
  }),
};
