import type { z } from "zod";
import * as account from "./actions/account.ts";
import * as admin from "./actions/admin.ts";
import * as bot from "./actions/bot.ts";
import * as call from "./actions/call.ts";
import * as channel from "./actions/channel.ts";
import * as compliance from "./actions/compliance.ts";
import * as direct from "./actions/direct.ts";
import * as emoji from "./actions/emoji.ts";
import * as file from "./actions/file.ts";
import * as group from "./actions/group.ts";
import * as inbox from "./actions/inbox.ts";
import * as invite from "./actions/invite.ts";
import * as message from "./actions/message.ts";
import * as moderation from "./actions/moderation.ts";
import * as notification from "./actions/notification.ts";
import * as ownData from "./actions/own-data.ts";
import * as passkeys from "./actions/passkeys.ts";
import * as people from "./actions/people.ts";
import * as personal from "./actions/personal.ts";
import * as provisioning from "./actions/provisioning.ts";
import * as presence from "./actions/presence.ts";
import * as role from "./actions/role.ts";
import * as search from "./actions/search.ts";
import * as server from "./actions/server.ts";
import * as transfer from "./actions/transfer.ts";
import * as user from "./actions/user.ts";
import * as webhook from "./actions/webhook.ts";
import type { ActionDefinition } from "./define.ts";
import type { ChannelState } from "./entities.ts";

/** All actions by the two parts of their name. Only these can be called by clients. */
export const ACTIONS_BY_PREFIX = {
  user: {
    ...user.userActions,
    ...account.userActions,
    ...passkeys.userActions,
    ...server.userActions,
    ...people.userActions,
    ...admin.userActions,
    ...bot.userActions,
    ...ownData.userActions,
    ...transfer.userActions,
    ...notification.userActions,
    ...provisioning.userActions,
  },
  admin: {
    ...admin.adminActions,
    ...transfer.adminActions,
    ...compliance.adminActions,
    ...provisioning.adminActions,
    ...moderation.adminActions,
    ...server.adminActions,
  },
  group: {
    ...admin.groupActions,
    ...bot.groupActions,
    ...compliance.groupActions,
    ...ownData.groupActions,
    ...group.groupActions,
    ...transfer.groupActions,
    ...invite.groupActions,
    ...moderation.groupActions,
    ...inbox.groupActions,
  },
  message: {
    ...admin.messageActions,
    ...compliance.messageActions,
    ...ownData.messageActions,
    ...transfer.messageActions,
    ...channel.messageActions,
    ...message.messageActions,
    ...search.messageActions,
  },
  presence: {
    ...admin.presenceActions,
    ...ownData.presenceActions,
    ...presence.presenceActions,
    ...notification.presenceActions,
  },
  bot: bot.botActions,
  call: call.callActions,
  command: bot.commandActions,
  interaction: bot.interactionActions,
  modal: bot.modalActions,
  plugin: server.pluginActions,
  webhook: webhook.webhookActions,
  file: {
    ...admin.fileActions,
    ...compliance.fileActions,
    ...ownData.fileActions,
    ...file.fileActions,
  },
  inbox: { ...ownData.inboxActions, ...inbox.inboxActions },
  friend: { ...ownData.friendActions, ...people.friendActions },
  report: moderation.reportActions,
  role: role.roleActions,
  emoji: emoji.emojiActions,
  channel: {
    ...channel.channelActions,
    ...direct.channelActions,
    ...transfer.channelActions,
    ...presence.channelActions,
    ...inbox.channelActions,
    ...notification.channelActions,
  },
  invite: invite.inviteActions,
  join: invite.joinActions,
  draft: personal.draftActions,
  saved: personal.savedActions,
  scheduled: personal.scheduledActions,
  search: search.searchActions,
  notification: notification.notificationActions,
  push: notification.pushActions,
  server: server.serverActions,
  gateway: server.gatewayActions,
} satisfies Record<string, Record<string, ActionDefinition>>;

type ByPrefix = typeof ACTIONS_BY_PREFIX;
type Prefix = keyof ByPrefix;

export type ActionName = { [P in Prefix]: `${P}.${keyof ByPrefix[P] & string}` }[Prefix];
type DefinitionOf<N extends string> = N extends `${infer P extends Prefix}.${infer A}`
  ? A extends keyof ByPrefix[P]
    ? ByPrefix[P][A]
    : never
  : never;

/** All actions by full name, such as `message.send`. */
export const ACTIONS = Object.fromEntries(
  Object.entries(ACTIONS_BY_PREFIX).flatMap(([prefix, actions]) =>
    Object.entries(actions).map(([name, definition]) => [`${prefix}.${name}`, definition]),
  ),
) as { [N in ActionName]: DefinitionOf<N> };

/** What a caller passes. */
export type Params<N extends ActionName> = z.input<(typeof ACTIONS)[N]["params"]>;
/** What the handler receives, with defaults applied. */
export type ParsedParams<N extends ActionName> = z.output<(typeof ACTIONS)[N]["params"]>;
export type Result<N extends ActionName> = z.output<(typeof ACTIONS)[N]["result"]>;

export type RuleOf<N extends ActionName> = (typeof ACTIONS)[N]["permission"]["rule"];

/** A function that calls an action by name, for names known only at run time. Services use `Services`. */
export type Call = <N extends ActionName>(name: N, params: Params<N>) => Promise<Result<N>>;

type Input<D extends { params: z.ZodType }> = z.input<D["params"]>;
type Output<D extends { result: z.ZodType }> = z.output<D["result"]>;

/** All actions as methods: `services.message.send(params)`. */
export type Services = {
  [P in keyof ByPrefix]: { [A in keyof ByPrefix[P]]: CallOf<ByPrefix[P][A]> };
};
type CallOf<D> = D extends { params: z.ZodType; result: z.ZodType }
  ? (params: Input<D>) => Promise<Output<D>>
  : never;

export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(ACTIONS, name);
}

export function actionDefinition(name: ActionName): ActionDefinition {
  return ACTIONS[name];
}

/** The names of all actions that match a definition, in order. */
export function actionsWhere(isWanted: (definition: ActionDefinition) => boolean): ActionName[] {
  return (Object.keys(ACTIONS) as ActionName[]).filter((name) => isWanted(ACTIONS[name]));
}

type ActionWith<Fact> = {
  [N in ActionName]: (typeof ACTIONS)[N] extends Fact ? N : never;
}[ActionName];

/** Returns the permissions that processes check calls against. */
export const ANSWERS_ACCESS = "group.access" satisfies ActionName;

/** Returns the instance policy as set by admins. */
export const ANSWERS_POLICY = "admin.readPolicy" satisfies ActionName;

/** Actions that delete a service's data of a deleted user. */
export const FORGETS_USER = actionsWhere(({ forgetsUser }) => forgetsUser === true) as ActionWith<{
  forgetsUser: true;
}>[];

/** Actions that export a service's data of a user. */
export const EXPORTS_USER = actionsWhere(({ exportsUser }) => exportsUser === true) as ActionWith<{
  exportsUser: true;
}>[];

/** Whether a session that has to set up a second factor first can't call the action. */
export function needsSecondFactor({ permission, worksWithoutSecondFactor }: ActionDefinition): boolean {
  return permission.rule !== "public" && worksWithoutSecondFactor !== true;
}

/** Whether only admins can call it during maintenance. */
export function pausesInMaintenance({ permission, mutates, worksInMaintenance }: ActionDefinition): boolean {
  return permission.rule !== "admin" && mutates && worksInMaintenance !== true;
}

/** Loads all pages of `channel.list`. */
export async function listChannels(call: Call, groupId: string): Promise<ChannelState[]> {
  const all: ChannelState[] = [];
  for (let afterChannelId: string | undefined; ;) {
    const page = await call("channel.list", { groupId, ...(afterChannelId && { afterChannelId }) });
    all.push(...page.channels);
    if (page.nextChannelId === null) return all;
    afterChannelId = page.nextChannelId;
  }
}
