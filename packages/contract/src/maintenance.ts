import { actionDefinition, type ActionName } from "./actions.ts";

/** Names that say that nothing is changed, at least nothing that would not be gone in a moment. */
const READS = /\.(get|list|search|preview|sync|watch|unwatch)/;
/** Whoever runs the instance has to come in, and everybody has to get out. */
const ALWAYS: ReadonlySet<string> = new Set<ActionName>([
  "user.me",
  "user.login",
  "user.exchangeOidcCode",
  "user.refresh",
  "user.exportMyData",
  "user.logout",
  "user.logoutAll",
  "user.revokeSession",
]);

/** Whether nobody but an admin can do it during maintenance: everything that does not say that it only reads. */
export function pausesInMaintenance(name: ActionName): boolean {
  const { rule } = actionDefinition(name).permission;
  return rule !== "admin" && !READS.test(name) && !ALWAYS.has(name);
}
