import type { Migration } from "./migration.ts";
import { messageRevs } from "./steps/0001-message-revs.ts";
import { directActivity } from "./steps/0002-direct-activity.ts";
import { searchableNames } from "./steps/0003-searchable-names.ts";
import { formerMembers } from "./steps/0004-former-members.ts";
import { emailClaims } from "./steps/0005-email-claims.ts";
import { channelRemovalJobs } from "./steps/0006-channel-removal-jobs.ts";
import { botCallbackJobs } from "./steps/0007-bot-callback-jobs.ts";
import { searchIndex } from "./steps/0008-search-index.ts";
import { emojiPermission } from "./steps/0009-emoji-permission.ts";
import { nicknamePermissions } from "./steps/0010-nickname-permissions.ts";
import { callPermissions } from "./steps/0011-call-permissions.ts";
import { changedThreads } from "./steps/0012-changed-threads.ts";

/** All migrations in order. Never change, rename or remove a released one. */
export const MIGRATIONS: readonly Migration[] = [
  messageRevs,
  directActivity,
  searchableNames,
  formerMembers,
  emailClaims,
  channelRemovalJobs,
  botCallbackJobs,
  searchIndex,
  emojiPermission,
  nicknamePermissions,
  callPermissions,
  changedThreads,
];
