import { ACTIONS, actionDefinition, type ActionName } from "@fanfare/contract";
import {
  createAccount,
  createCast,
  createStage,
  post,
  postRaw,
  type Cast,
  type Person,
  type Stage,
} from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACTORS, type ActorName, type Outcome } from "./expected.ts";
import { HARMLESS, MATRIX, READS } from "./matrix.ts";
import type { Row } from "./row.ts";

// Every action that can be reached from outside, as everybody that a rule tells apart.

/** Nobody is in more groups than that, so a cast is not used for ever. */
const STAGES_PER_CAST = 100;

let instance: Instance;
/** Has the first account, so it runs the instance. */
let root: Person;
beforeAll(async () => {
  instance = await startInstance();
  root = await createAccount(instance.url);
});
afterAll(() => instance?.stop());

let shared: { cast: Promise<Cast>; stages: number } | undefined;
let ofReads: Promise<Stage> | undefined;

/** New people take long to register: actions that change no one are tried by the same people, in new groups. */
async function newStage(changesPeople: boolean): Promise<Stage> {
  const { url } = instance;
  if (changesPeople) return createStage(url, await createCast(url, root));
  if (shared === undefined || shared.stages >= STAGES_PER_CAST) {
    shared = { cast: createCast(url, root), stages: 0 };
  }
  shared.stages += 1;
  return createStage(url, await shared.cast);
}

/** @param inFreshGroups whether each actor has a group that no one else has changed by the same action */
async function outcomesOf(
  name: ActionName,
  { outcomes, params }: Row,
  inFreshGroups: boolean,
): Promise<Record<ActorName, Outcome>> {
  const { rule } = actionDefinition(name).permission;
  const isRead = READS.test(name);
  const isAboutPlace = rule === "group" || rule === "channel";
  const isHarmless = isAboutPlace || isRead || HARMLESS.test(name);
  const changesPeople = !isHarmless && ACTORS.some((actor) => outcomes[actor] === "ok");
  const canBeSpent = isAboutPlace && !isRead;
  let stage = await (isRead ? (ofReads ??= newStage(false)) : newStage(changesPeople));
  const { admin } = stage;
  const call = (actor: ActorName) => {
    const token = actor === "anonymous" ? undefined : stage[actor].accessToken;
    return postRaw(instance.url, name, JSON.stringify(params(stage)), token);
  };
  let isFresh = true;
  const found: Partial<Record<ActorName, Outcome>> = {};
  // Refusals change nothing, so they come first, in the same group.
  const succeeds = (actor: ActorName): number => Number(outcomes[actor] === "ok");
  for (const actor of ACTORS.toSorted((a, b) => succeeds(a) - succeeds(b))) {
    if (!isFresh && canBeSpent && inFreshGroups) stage = await newStage(changesPeople);
    let answer = await call(actor);
    if (!answer.ok && !isFresh && canBeSpent && !inFreshGroups) {
      stage = await newStage(changesPeople);
      answer = await call(actor);
    }
    found[actor] = answer.ok ? "ok" : answer.error.type;
    isFresh = !answer.ok;
  }
  // An instance has only so many admins.
  if (changesPeople)
    await post(instance.url, "admin.setAdmin", { userId: admin.userId, admin: false }, root.accessToken);
  return found as Record<ActorName, Outcome>;
}

const actions = Object.entries(ACTIONS);

test("every action that can be reached from outside has a row", () => {
  const reachable = actions.filter(([, { transports }]) => transports.length > 0);
  expect(Object.keys(MATRIX).sort()).toEqual(reachable.map(([name]) => name).sort());
});

test("what is internal is reachable by nothing", () => {
  const internal = actions.filter(([, { permission }]) => permission.rule === "internal");
  expect(internal.filter(([, { transports }]) => transports.length > 0)).toEqual([]);
});

const rows = Object.entries(MATRIX) as [ActionName, Row][];

// A second success can be due to the first one: the long run has a fresh group for each.
describe.concurrent("who gets what from", () => {
  test.each(rows)("%s", async (name, row) => {
    expect(await outcomesOf(name, row, false)).toEqual(row.outcomes);
  });
});

describe.concurrent("in a group that no one has changed, who gets what from", { tags: "long" }, () => {
  test.each(rows)("%s", async (name, row) => {
    expect(await outcomesOf(name, row, true)).toEqual(row.outcomes);
  });
});
