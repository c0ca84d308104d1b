import { createAdminService } from "@fanfare/admin";
import { createBotService } from "@fanfare/bot";
import { createFileService } from "@fanfare/file";
import { createGroupService } from "@fanfare/group";
import { createInboxService } from "@fanfare/inbox";
import type { Config, ServiceFactory } from "@fanfare/kernel";
import { createMessageService } from "@fanfare/message";
import { createPresenceService } from "@fanfare/presence";
import { createPreviewService } from "@fanfare/preview";
import { createSearchService } from "@fanfare/search";
import { createUserService } from "@fanfare/user";

/** Every service but the gateway, in the order in which they start. */
export const WORKER_FACTORIES: Record<Exclude<Config["services"][number], "gateway">, ServiceFactory> = {
  user: createUserService,
  group: createGroupService,
  message: createMessageService,
  presence: createPresenceService,
  search: createSearchService,
  bot: createBotService,
  preview: createPreviewService,
  admin: createAdminService,
  file: createFileService,
  inbox: createInboxService,
};
