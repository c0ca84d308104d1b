import type { ActionName, RuleOf } from "@fanfare/contract";
import type { Row } from "./row.ts";
import { accountRows } from "./rows/account.ts";
import { adminRows } from "./rows/admin.ts";
import { botRows } from "./rows/bot.ts";
import { callRows } from "./rows/call.ts";
import { channelRows } from "./rows/channel.ts";
import { directRows } from "./rows/direct.ts";
import { departureRows } from "./rows/departure.ts";
import { emojiRows } from "./rows/emoji.ts";
import { fileRows } from "./rows/file.ts";
import { friendRows } from "./rows/friend.ts";
import { groupRows } from "./rows/group.ts";
import { inboxRows } from "./rows/inbox.ts";
import { notificationRows } from "./rows/notification.ts";
import { inviteRows } from "./rows/invite.ts";
import { joinRequestRows } from "./rows/join-request.ts";
import { messageRows } from "./rows/message.ts";
import { moderationRows } from "./rows/moderation.ts";
import { peopleRows } from "./rows/people.ts";
import { presenceRows } from "./rows/presence.ts";
import { reportRows } from "./rows/report.ts";
import { roleRows } from "./rows/role.ts";
import { sessionRows } from "./rows/session.ts";
import { setupRows } from "./rows/setup.ts";
import { statusRows } from "./rows/status.ts";
import { threadRows } from "./rows/thread.ts";
import { userRows } from "./rows/user.ts";
import { webhookRows } from "./rows/webhook.ts";

type InternalAction = { [N in ActionName]: RuleOf<N> extends "internal" ? N : never }[ActionName];

/** The expected outcomes of every action with a transport: a missing row does not compile. */
export const MATRIX: Record<Exclude<ActionName, InternalAction>, Row> = {
  ...userRows,
  ...accountRows,
  ...sessionRows,
  ...setupRows,
  ...peopleRows,
  ...adminRows,
  ...departureRows,
  ...groupRows,
  ...reportRows,
  ...roleRows,
  ...moderationRows,
  ...channelRows,
  ...directRows,
  ...emojiRows,
  ...fileRows,
  ...friendRows,
  ...inviteRows,
  ...joinRequestRows,
  ...messageRows,
  ...threadRows,
  ...presenceRows,
  ...botRows,
  ...callRows,
  ...webhookRows,
  ...inboxRows,
  ...notificationRows,
  ...statusRows,
};

/** Actions that change nothing for the next call. */
export const READS = /\.(get|list|search|preview|me$|my|sync|stats|auditLog|export)/;

/** Other actions that leave everyone's permissions unchanged. */
export const HARMLESS =
  /^(presence|push|notification|inbox|draft|saved|scheduled|bot|command)\.|^(user\.(register|createGuest|updateProfile|setPreferences|removeAvatar|unblock|requestPasswordReset|start\w+)|group\.create|file\.startPicture|admin\.(createUser|metrics|sendPasswordReset|startExportUpload|start(Group|Message)Export|announce|setBranding|removeLogo))$/;
