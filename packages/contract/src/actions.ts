import type { z } from "zod";
import { accountActions } from "./actions/account.ts";
import { adminActions } from "./actions/admin.ts";
import { botActions, commandActions } from "./actions/bot.ts";
import { channelActions } from "./actions/channel.ts";
import { directActions } from "./actions/direct.ts";
import { departureActions } from "./actions/departure.ts";
import { exportActions } from "./actions/export.ts";
import { fileActions } from "./actions/file.ts";
import { friendActions } from "./actions/friend.ts";
import { groupActions } from "./actions/group.ts";
import { groupFileActions } from "./actions/group-file.ts";
import { inboxActions } from "./actions/inbox.ts";
import { inviteActions } from "./actions/invite.ts";
import { notificationActions } from "./actions/notification.ts";
import { messageActions } from "./actions/message.ts";
import { peopleActions } from "./actions/people.ts";
import { pictureActions } from "./actions/picture.ts";
import { moderationActions } from "./actions/moderation.ts";
import { presenceActions } from "./actions/presence.ts";
import { roleActions } from "./actions/role.ts";
import { sessionActions } from "./actions/session.ts";
import { setupActions } from "./actions/setup.ts";
import { statusActions } from "./actions/status.ts";
import { threadActions } from "./actions/thread.ts";
import { userActions } from "./actions/user.ts";
import { searchActions } from "./actions/search.ts";
import { webhookActions } from "./actions/webhook.ts";
import type { ActionDefinition } from "./define.ts";

/** Every action of the platform by its name. Nothing that is not here can be called from outside. */
export const ACTIONS = {
  ...userActions,
  ...accountActions,
  ...sessionActions,
  ...setupActions,
  ...peopleActions,
  ...adminActions,
  ...botActions,
  ...commandActions,
  ...webhookActions,
  ...departureActions,
  ...exportActions,
  ...groupActions,
  ...groupFileActions,
  ...roleActions,
  ...moderationActions,
  ...channelActions,
  ...friendActions,
  ...directActions,
  ...inviteActions,
  ...threadActions,
  ...messageActions,
  ...searchActions,
  ...presenceActions,
  ...fileActions,
  ...pictureActions,
  ...inboxActions,
  ...notificationActions,
  ...statusActions,
} satisfies Record<string, ActionDefinition>;

export type ActionName = keyof typeof ACTIONS;
/** What a caller passes. */
export type Params<N extends ActionName> = z.input<(typeof ACTIONS)[N]["params"]>;
/** What the handler gets: defaults filled in. */
export type ParsedParams<N extends ActionName> = z.output<(typeof ACTIONS)[N]["params"]>;
export type Result<N extends ActionName> = z.output<(typeof ACTIONS)[N]["result"]>;

export type RuleOf<N extends ActionName> = (typeof ACTIONS)[N]["permission"]["rule"];

/** A function that calls an action by its name, typed by the contract. */
export type Call = <N extends ActionName>(name: N, params: Params<N>) => Promise<Result<N>>;

export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(ACTIONS, name);
}

export function actionDefinition(name: ActionName): ActionDefinition {
  return ACTIONS[name];
}

/** The names of all actions whose definition is like this, in the order of their definition. */
export function actionsWhere(isWanted: (definition: ActionDefinition) => boolean): ActionName[] {
  return (Object.keys(ACTIONS) as ActionName[]).filter((name) => isWanted(ACTIONS[name]));
}

type ActionWith<Fact> = {
  [N in ActionName]: (typeof ACTIONS)[N] extends Fact ? N : never;
}[ActionName];

/** Answers the permissions that a process checks calls against. */
export const ANSWERS_ACCESS = "group.access" satisfies ActionName;

/** Answers the policy of the instance as admins have set it. */
export const ANSWERS_POLICY = "admin.readPolicy" satisfies ActionName;

/** Actions that remove what a service stores of a deleted user. */
export const FORGETS_USER = actionsWhere(({ forgetsUser }) => forgetsUser === true) as ActionWith<{
  forgetsUser: true;
}>[];

/** Actions that answer what a service stores of a user. */
export const EXPORTS_USER = actionsWhere(({ exportsUser }) => exportsUser === true) as ActionWith<{
  exportsUser: true;
}>[];

/** Whether it is refused to a session that has to set up a second factor first. */
export function needsSecondFactor({ permission, worksWithoutSecondFactor }: ActionDefinition): boolean {
  return permission.rule !== "public" && worksWithoutSecondFactor !== true;
}

/** Whether only admins can call it during maintenance. */
export function pausesInMaintenance({ permission, mutates, worksInMaintenance }: ActionDefinition): boolean {
  return permission.rule !== "admin" && mutates && worksInMaintenance !== true;
}
