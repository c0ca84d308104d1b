import type { ActionName } from "@fanfare/contract";
import type { Row } from "./row.ts";
import { accountRows } from "./rows/account.ts";
import { adminRows } from "./rows/admin.ts";
import { channelRows } from "./rows/channel.ts";
import { directRows } from "./rows/direct.ts";
import { departureRows } from "./rows/departure.ts";
import { fileRows } from "./rows/file.ts";
import { friendRows } from "./rows/friend.ts";
import { groupRows } from "./rows/group.ts";
import { inboxRows } from "./rows/inbox.ts";
import { inviteRows } from "./rows/invite.ts";
import { messageRows } from "./rows/message.ts";
import { peopleRows } from "./rows/people.ts";
import { presenceRows } from "./rows/presence.ts";
import { roleRows } from "./rows/role.ts";
import { sessionRows } from "./rows/session.ts";
import { threadRows } from "./rows/thread.ts";
import { userRows } from "./rows/user.ts";

type InternalAction =
  | "file.finishUpload"
  | "file.abortUpload"
  | "file.claim"
  | "file.release"
  | "file.usePicture"
  | "file.dropPictures"
  | "message.findSent"
  | "admin.getMaintenance"
  | "group.listOwned"
  | "message.forgetUser"
  | "friend.exportUser"
  | "user.exportUser"
  | "group.exportUser"
  | "message.exportUser"
  | "group.forgetUser"
  | "presence.forgetUser"
  | "friend.forgetUser"
  | "user.count"
  | "user.listAll"
  | "user.setDisabled"
  | "user.setAdmin"
  | "group.count"
  | "group.listAll"
  | "group.remove"
  | "message.count"
  | "presence.count"
  | "user.adminState"
  | "user.listBlockedAmong"
  | "group.forgetDirectAccess"
  | "user.listRevokedSessions"
  | "user.findByUsername"
  | "friend.listReachable"
  | "friend.listAmong"
  | "user.startOidc"
  | "user.finishOidc"
  | "group.access"
  | "group.recordAudit"
  | "group.listRooms"
  | "group.listPlaces"
  | "group.listUserChannels"
  | "group.listAcquaintances"
  | "presence.report"
  | "message.removeChannels"
  | "message.setThread"
  | "message.post"
  | "message.setEmbeds"
  | "message.getMany"
  | "message.listChanges"
  | "message.listMentions"
  | "message.countMentions"
  | "message.listHeads";

/** Who gets what from every action that can be reached from outside: an action without a row does not compile. */
export const MATRIX: Record<Exclude<ActionName, InternalAction>, Row> = {
  ...userRows,
  ...accountRows,
  ...sessionRows,
  ...peopleRows,
  ...adminRows,
  ...departureRows,
  ...groupRows,
  ...roleRows,
  ...channelRows,
  ...directRows,
  ...fileRows,
  ...friendRows,
  ...inviteRows,
  ...messageRows,
  ...threadRows,
  ...presenceRows,
  ...inboxRows,
};
