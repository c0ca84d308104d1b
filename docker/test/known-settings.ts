import { VARIABLES } from "@fanfare/kernel/settings";

/** The names of all settings that the program reads from its environment. */
export function knownSettings(): Set<string> {
  return new Set(VARIABLES);
}
