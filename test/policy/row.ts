import type { ActionName, Params } from "@fanfare/contract";
import type { World } from "@fanfare/testing";
import { ACTORS, expectedOutcome, type ActorName, type Outcome } from "./expected.ts";

/**
 * Where actors get something other than the rule says, and why; `allowed` is for all actors that the rule lets
 * in.
 */
export interface Exceptions extends Partial<Record<ActorName, Outcome>> {
  why: string;
  allowed?: Outcome;
}

export interface Row {
  outcomes: Record<ActorName, Outcome>;
  params: (world: World) => unknown;
}

/** The expected outcome for each actor: that of the permission rule, except for the exceptions. */
export function row<N extends ActionName>(
  name: N,
  params: (world: World) => Params<N>,
  exceptions?: Exceptions,
): Row {
  const outcomeOf = (actor: ActorName): Outcome => {
    const byRule = expectedOutcome(name, actor);
    return exceptions?.[actor] ?? (byRule === "ok" ? exceptions?.allowed : undefined) ?? byRule;
  };
  const outcomes = Object.fromEntries(ACTORS.map((actor) => [actor, outcomeOf(actor)]));
  return { outcomes: outcomes as Row["outcomes"], params };
}

let names = 0;
export const freshName = (): string => `matrix${(names += 1)}-${Date.now().toString(36)}`;
export const password = "correct horse";
export const targetOf = ({ group, target }: World) => ({ groupId: group.id, userId: target.userId });
export const messageOf = ({ channel, message }: World) => ({ channelId: channel.id, messageId: message.id });
