import type { Migration } from "./migration.ts";
import { messageRevs } from "./steps/0001-message-revs.ts";
import {
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
} from "./steps/0002-to-0012.ts";

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
