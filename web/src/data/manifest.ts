import { ACTION_MANIFEST, type ClientFacts } from "@fanfare/contract/manifest";

type Manifest = typeof ACTION_MANIFEST;
type Name = keyof Manifest;
type With<Fact> = { [N in Name]: Manifest[N] extends Fact ? N : never }[Name];

const namesWith = (fact: string): Name[] =>
  (Object.keys(ACTION_MANIFEST) as Name[]).filter((name) => fact in ACTION_MANIFEST[name]);

/** Actions that are recorded in a group's audit log. */
export const AUDITED_ACTIONS = namesWith("audited") as With<{ audited: string }>[];

/** What an entry of the audit log is about; undefined for an action that this page does not know. */
export function auditTarget(action: string): string | undefined {
  const facts: ClientFacts | undefined = Object.hasOwn(ACTION_MANIFEST, action)
    ? ACTION_MANIFEST[action as Name]
    : undefined;
  return facts?.audited;
}
