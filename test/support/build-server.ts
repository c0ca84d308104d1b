import { buildServer } from "../../scripts/build.ts";
import { makeNewDatabase } from "./new-database.ts";

/** Runs before the tests: what they start is what production runs. The sources need several times the CPU to start. */
export default async function build(): Promise<void> {
  await buildServer();
  await makeNewDatabase();
}
