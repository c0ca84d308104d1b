/** The wire format of entities, with a file for each domain. */
export * from "./entities/primitives.ts";
export * from "./entities/user.ts";
export * from "./entities/policy.ts";
export * from "./entities/group.ts";
export * from "./entities/channel.ts";
export * from "./entities/bot.ts";
export * from "./entities/card.ts";
export * from "./entities/inbox.ts";
export * from "./entities/message.ts";
export * from "./entities/admin.ts";
export * from "./entities/plugin.ts";
