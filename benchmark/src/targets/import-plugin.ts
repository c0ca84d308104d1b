import { usageError } from "../cli/exit.ts";
import type { TargetPlugin } from "./plugin.ts";

/** @throws {ExitError} if the file is not a plug-in */
export async function importPlugin(file: string): Promise<TargetPlugin> {
  let plugin: Partial<TargetPlugin> | undefined;
  try {
    plugin = ((await import(file)) as { default?: Partial<TargetPlugin> }).default;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Before Node 22.18.
    const advice = code === "ERR_UNKNOWN_FILE_EXTENSION" ? ". Use a newer Node, or JavaScript." : "";
    throw usageError(`Could not load --target ${file}: ${message}${advice}`);
  }
  const { name, dialect, open } = plugin ?? {};
  const missing = [
    ...(typeof name === "string" ? [] : ["name"]),
    ...(typeof dialect?.read === "function" ? [] : ["dialect"]),
    ...(typeof open === "function" ? [] : ["open"]),
  ];
  if (missing.length === 0) return plugin as TargetPlugin;
  throw usageError(
    `--target ${file}: its default export has no ${missing.join(", no ")}. See "A server of your own" in the tester's README.`,
  );
}
