export { migrate, planMigrations, type MigrateOptions, type Plan } from "./migrate.ts";
export type { Report } from "./migration.ts";
export { shownIndex } from "./indexes.ts";
