export { migrate, planMigrations, type MigrateOptions, type Plan } from "./migrate.ts";
export type { Report } from "./report.ts";
export { shownIndex } from "./indexes.ts";
