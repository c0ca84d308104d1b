import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";
import { forgetUser } from "./own-data.ts";

const ofBot = z.object({ groupId: e.id, botId: e.id });
const botResult = z.object({ bot: e.BotSchema });
const tokenResult = botResult.extend({ token: z.string().describe("shown this once only") });
const scopes = z
  .array(e.botScope)
  .max(e.botScope.options.length)
  .transform((list) => [...new Set(list)])
  .pipe(z.array(e.botScope));
const manages = { rule: "group", can: "manageWebhooks" } as const;

export const botActions = {
  create: mutation({
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
    audited: "bot",
    errors: ["LIMIT_REACHED", "ROLE_NOT_FOUND"],
    rateLimit: perMinute(10),
  }),
  list: query({
    summary: "The bots of a group.",
    params: e.inGroup,
    result: z.object({ bots: z.array(e.BotSchema).max(LIMITS.botsPerGroup) }),
    permission: manages,
  }),
  update: mutation({
    summary:
      "Update a bot's name. The bot's creator and the group's owner can also update its scopes, which reconnects its sockets.",
    params: ofBot.extend({ name: e.nickname.optional(), scopes: scopes.optional() }),
    result: botResult,
    permission: manages,
    audited: "bot",
    errors: ["BOT_NOT_FOUND"],
    rateLimit: perMinute(20),
  }),
  rotateToken: mutation({
    summary:
      "Issue a new token, for the bot's creator and the group's owner. The old one stops working at once, and its sockets close.",
    params: ofBot,
    result: tokenResult,
    permission: manages,
    audited: "bot",
    errors: ["BOT_NOT_FOUND"],
    rateLimit: perMinute(10),
  }),
  delete: mutation({
    summary: "Delete a bot permanently. Its messages stay.",
    params: ofBot,
    permission: manages,
    audited: "bot",
    errors: ["BOT_NOT_FOUND"],
  }),
  listTokens: query({
    summary: "A page of the bot and webhook tokens that the user holds in all groups, newest first.",
    params: z.object({
      before: e.id.optional().describe("the nextBefore of the page before"),
      limit: e.pageLimit,
    }),
    result: z.object({
      tokens: z.array(e.HeldTokenSchema).max(LIMITS.pageMaxItems),
      nextBefore: e.id.nullable().describe("null: this is the last page"),
    }),
    permission: { rule: "session" },
  }),
  revokeToken: mutation({
    summary:
      "Revoke a token that the user holds, even if they can no longer manage bots. A bot stays, without a token or callback; a webhook is deleted.",
    params: z.object({ kind: e.heldTokenKind, id: e.id }),
    permission: { rule: "session" },
    errors: ["BOT_NOT_FOUND", "WEBHOOK_NOT_FOUND"],
    rateLimit: perMinute(60),
  }),
  me: query({
    summary: "The bot that calls.",
    result: botResult,
    permission: { rule: "session" },
    botScope: "any",
    errors: ["BOTS_ONLY"],
  }),
  subscribe: mutation({
    summary:
      "Subscribe to events in the channels that the bot can see, delivered by HTTP POST from now on. Replaces an earlier subscription. " +
      "Each event is delivered at least once; see /docs/build/bots.html for the signature.",
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
    botScope: "events",
    errors: ["BOTS_ONLY"],
    rateLimit: perMinute(10),
  }),
  unsubscribe: mutation({
    summary: "Stop the deliveries by HTTP.",
    result: botResult,
    permission: { rule: "session" },
    botScope: "events",
    errors: ["BOTS_ONLY"],
  }),
  authenticate: internal({
    summary: "The bot that a token belongs to.",
    params: z.object({ token: z.string().max(LIMITS.botTokenMaxChars) }),
    result: z.object({ userId: e.id, sessionId: e.id, scopes: z.array(e.botScope) }),
    errors: ["UNAUTHENTICATED"],
  }),
  isAllowed: internal({
    summary: "Whether a bot has a valid token with a scope.",
    params: e.ofUser.extend({ scope: e.botScope }),
    result: z.object({ isAllowed: z.boolean() }),
  }),
  forgetUser: forgetUser("their webhooks go, or the whole bot if the user is one."),
  revokeTokensOf: internal({
    summary: "Revoke all webhook and bot tokens that a user holds. Repeatable.",
    params: e.ofUser.extend({
      deleteBots: z.boolean().describe("false: bots stay, without a token or callback"),
    }),
  }),
  disconnectHeldBy: internal({
    summary: "Disconnect the bots whose tokens a disabled user holds. Repeatable.",
    params: e.ofUser,
  }),
};

export const userActions = {
  createBot: internal({
    summary: "Create the user of a bot.",
    params: z.object({ name: e.nickname }),
    result: z.object({ user: e.UserSchema }),
  }),
  renameBot: internal({
    summary: "Rename a bot.",
    params: e.ofUser.extend({ name: e.nickname }),
    errors: ["USER_NOT_FOUND"],
  }),
  openBotSession: internal({
    summary: "Create a session for a bot's token that never expires; all its other sessions end.",
    params: e.ofUser,
    result: z.object({ sessionId: e.id }),
    errors: ["USER_NOT_FOUND"],
  }),
  hasSession: internal({
    summary: "Whether the session is active, and its user neither disabled nor deleted.",
    params: e.ofUser.extend({ sessionId: e.id }),
    result: z.object({ isAlive: z.boolean() }),
  }),
  isActive: internal({
    summary: "Whether the user exists and is neither disabled nor deleted.",
    params: e.ofUser,
    result: z.object({
      isActive: z.boolean(),
      kind: e.UserSchema.shape.kind.optional().describe("absent unless the user is active"),
    }),
  }),
  deleteBot: internal({
    summary: "Delete a bot's user: like user.deleteMe. Repeatable.",
    params: e.ofUser,
  }),
};

export const groupActions = {
  admitBot: internal({
    summary: "Make a bot a member. Repeatable.",
    params: e.ofUser.extend({ groupId: e.id }),
    errors: ["INVITE_NOT_FOUND"],
  }),
  listSeenChannels: internal({
    summary: "The text channels of a group that a user can see: none for non-members.",
    params: e.ofUser.extend({ groupId: e.id }),
    result: z.object({ channels: z.array(z.object({ channelId: e.id, createdAt: e.time })) }),
  }),
};

export const interactionActions = {
  create: mutation({
    summary:
      "Press a button under a message of a bot, or choose an option there. The bot receives `interaction.created`; the call returns once it has acknowledged that.",
    params: e.oneMessage.extend({
      controlId: e.controlId,
      value: e.controlId.optional().describe("of the chosen option"),
    }),
    result: z.object({ interactionId: e.id }),
    permission: { rule: "channel", can: "view" },
    waitsForBot: true,
    errors: ["MUTED", "MESSAGE_NOT_FOUND", "BOT_NOT_FOUND", "BOT_NOT_RESPONDING"],
    rateLimit: { points: 20, durationMs: 10_000 },
  }),
  acknowledge: mutation({
    summary:
      "Acknowledge an interaction or a submitted modal, after the bot's answer if that is quick. A 2xx response to the callback does the same. Repeatable.",
    params: z.object({
      interactionId: e.id,
      errors: e.modalErrors.default({}).describe("of a submitted modal, which stays open then"),
    }),
    permission: { rule: "session" },
    botScope: "messages.write",
    errors: ["BOTS_ONLY"],
    rateLimit: { points: 1000, durationMs: 10_000 },
  }),
};

export const modalActions = {
  open: mutation({
    summary:
      "Open a dialog for the user who has run a command, pressed a button or submitted a modal. Their `trigger` is valid for 30 s, and opens one modal. Repeatable.",
    params: z.object({ trigger: e.trigger, modal: e.ModalSchema }),
    permission: { rule: "session" },
    botScope: "messages.write",
    errors: ["BOTS_ONLY", "TRIGGER_EXPIRED"],
  }),
  submit: mutation({
    summary:
      "Submit a modal. The bot receives `modal.submitted`; the call returns once it has accepted or rejected the values.",
    params: e.inChannel.extend({
      modalId: e.id.describe("the id of the opened modal"),
      values: e.modalValues
        .refine(
          (all) => JSON.stringify(all).length <= LIMITS.modalMaxChars,
          `must have at most ${LIMITS.modalMaxChars} characters together, as JSON`,
        )
        .describe("of each field, by its id"),
    }),
    result: z.object({
      submissionId: e.id,
      errors: e.modalErrors.describe("empty: the bot has accepted the values, and the modal is over"),
    }),
    permission: { rule: "channel", can: "view" },
    waitsForBot: true,
    errors: ["MUTED", "MODAL_NOT_FOUND", "BOT_NOT_FOUND", "BOT_NOT_RESPONDING"],
    rateLimit: { points: 20, durationMs: 10_000 },
  }),
};

export const commandActions = {
  register: mutation({
    summary: "Register the command `/name` of the bot. Replaces an earlier command of the same name.",
    params: z.object({
      name: e.commandName,
      description: e.nickname,
      options: z.array(e.CommandOptionSchema).max(LIMITS.optionsPerCommand).default([]),
    }),
    result: z.object({ command: e.CommandSchema }),
    permission: { rule: "session" },
    botScope: "commands",
    errors: ["BOTS_ONLY", "COMMAND_NAME_TAKEN", "LIMIT_REACHED"],
  }),
  unregister: mutation({
    summary: "Unregister a command of the bot. Does nothing if it doesn't exist.",
    params: z.object({ name: e.commandName }),
    permission: { rule: "session" },
    botScope: "commands",
    errors: ["BOTS_ONLY"],
  }),
  list: query({
    summary: "The commands of the bots that can see this channel, by name. Almost always one page.",
    params: e.inChannel.extend({
      afterName: e.commandName.optional().describe("the nextName of the page before"),
    }),
    result: z.object({
      commands: z.array(e.CommandSchema),
      nextName: e.commandName.nullable().describe("null: this is the last page"),
    }),
    permission: { rule: "channel", can: "view" },
    botScope: "group.read",
  }),
  invoke: mutation({
    summary: "Run a command of a bot. The bot receives `command.invoked`, and can reply with a message.",
    params: e.inChannel.extend({
      name: e.commandName,
      text: z.string().max(LIMITS.messageMaxChars).default(""),
    }),
    result: z.object({ invocation: e.InvocationSchema }),
    permission: { rule: "channel", can: "sendMessages" },
    errors: ["MUTED", "COMMAND_NOT_FOUND"],
    rateLimit: { points: 20, durationMs: 10_000 },
  }),
};
