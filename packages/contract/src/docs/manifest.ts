import { ACTIONS, type ActionName } from "../actions.ts";
import type { ActionDefinition } from "../define.ts";
import { EVENTS } from "../events.ts";

type Facts = Record<string, string | true>;

/** The source of `manifest.generated.ts`: the facts about actions and events that clients need at run time. */
export function manifestModule(): string {
  const actions = (Object.keys(ACTIONS) as ActionName[]).flatMap((name) => {
    const facts = factsOf(ACTIONS[name]);
    return Object.keys(facts).length === 0 ? [] : [`  "${name}": { ${written(facts)} },`];
  });
  const events = Object.keys(EVENTS).map((name) => `  "${name}",`);
  return `// Written by \`pnpm docs:generate\` from the definitions of actions and events. It imports nothing, so that zod stays out of browsers.

/** See \`ActionDefinition\`. */
export interface ClientFacts {
  isPublic?: true;
  httpOnly?: true;
  startsSession?: true;
  endsSession?: true;
  audited?: string;
}

/** Actions with a fact that clients need. */
export const ACTION_MANIFEST = {
${actions.join("\n")}
} as const;

export const EVENT_NAMES = [
${events.join("\n")}
] as const;
`;
}

function factsOf(definition: ActionDefinition): Facts {
  const { permission, transports, startsSession, endsSession, audited } = definition;
  if (permission.rule === "internal") return {};
  return {
    ...(permission.rule === "public" && { isPublic: true }),
    ...(!transports.includes("socket") && { httpOnly: true }),
    ...(startsSession && { startsSession }),
    ...(endsSession && { endsSession }),
    ...(audited !== undefined && { audited }),
  };
}

const written = (facts: Facts): string =>
  Object.entries(facts)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join(", ");
