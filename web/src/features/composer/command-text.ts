import type { Command } from "@fanfare/contract";

/** The command that a text is, with what stands behind its name; null where it is none that a bot here has. */
export function commandIn(
  text: string,
  commands: readonly Pick<Command, "name">[],
): { name: string; text: string } | null {
  const match = /^\/([a-z0-9_-]+)(?:\s+([\s\S]*))?$/.exec(text);
  if (match === null || !commands.some(({ name }) => name === match[1])) return null;
  return { name: match[1]!, text: match[2]?.trim() ?? "" };
}
