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
import { MATRIX, READS } from "./matrix.ts";
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

async function outcomesOf(name: ActionName, { outcomes, params }: Row): Promise<Record<ActorName, Outcome>> {
  const { rule } = actionDefinition(name).permission;
  const isAboutPlace = rule === "group" || rule === "channel";
  const changesPeople =
    !isAboutPlace && !READS.test(name) && ACTORS.some((actor) => outcomes[actor] === "ok");
  let stage = await newStage(changesPeople);
  const { admin } = stage;
  let isFresh = true;
  const found: Partial<Record<ActorName, Outcome>> = {};
  // Who is refused changes nothing, so they are first, and together.
  const succeeds = (actor: ActorName): number => Number(outcomes[actor] === "ok");
  for (const actor of ACTORS.toSorted((a, b) => succeeds(a) - succeeds(b))) {
    if (!isFresh && isAboutPlace && !READS.test(name)) stage = await newStage(changesPeople);
    const token = actor === "anonymous" ? undefined : stage[actor].accessToken;
    const answer = await postRaw(instance.url, name, JSON.stringify(params(stage)), token);
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

describe.concurrent("who gets what from", () => {
  test.each(Object.entries(MATRIX) as [ActionName, Row][])("%s", async (name, row) => {
    expect(await outcomesOf(name, row)).toEqual(row.outcomes);
  });
});
