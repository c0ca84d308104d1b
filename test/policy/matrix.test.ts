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

// Calls every action that has a transport as every kind of actor that a rule tells apart.

/** Users are limited to this many groups, so a cast is replaced after that. */
const STAGES_PER_CAST = 100;

let instance: Instance;
/** Has the first account, so it is the instance's admin. */
let root: Person;
beforeAll(async () => {
  instance = await startInstance();
  root = await createAccount(instance.url);
});
afterAll(() => instance?.stop());

let shared: { cast: Promise<Cast>; stages: number } | undefined;
/** For actions that leave it as it is to all others. */
let unchanged: Promise<Stage> | undefined;

/** Registering users is slow: actions that change no user are tried by the same cast, in new groups. */
async function newStage(changesPeople: boolean): Promise<Stage> {
  const { url } = instance;
  if (changesPeople) return createStage(url, await createCast(url, root));
  if (shared === undefined || shared.stages >= STAGES_PER_CAST) {
    shared = { cast: createCast(url, root), stages: 0 };
  }
  shared.stages += 1;
  return createStage(url, await shared.cast);
}

const isAboutPlace = (name: ActionName): boolean =>
  ["group", "channel"].includes(actionDefinition(name).permission.rule);

/** Whether a success can change what the next actor gets. */
const canBeSpent = (name: ActionName): boolean => isAboutPlace(name) && !READS.test(name);

/** @param inFreshGroups whether each actor gets a group that the action has not changed yet */
async function outcomesOf(
  name: ActionName,
  { outcomes, params }: Row,
  inFreshGroups: boolean,
): Promise<Record<ActorName, Outcome>> {
  const someSucceed = ACTORS.some((actor) => outcomes[actor] === "ok");
  const changesPlace = someSucceed && canBeSpent(name);
  const changesPeople = someSucceed && !isAboutPlace(name) && !READS.test(name) && !HARMLESS.test(name);
  let stage = await (changesPlace || changesPeople
    ? newStage(changesPeople)
    : (unchanged ??= newStage(false)));
  const { admin } = stage;
  const call = (actor: ActorName) => {
    const token = actor === "anonymous" ? undefined : stage[actor].accessToken;
    return postRaw(instance.url, name, JSON.stringify(params(stage)), token);
  };
  let isFresh = true;
  const found: Partial<Record<ActorName, Outcome>> = {};
  // Rejections change nothing, so they come first and share a group.
  const succeeds = (actor: ActorName): number => Number(outcomes[actor] === "ok");
  for (const actor of ACTORS.toSorted((a, b) => succeeds(a) - succeeds(b))) {
    if (!isFresh && canBeSpent(name) && inFreshGroups) stage = await newStage(changesPeople);
    let answer = await call(actor);
    if (!answer.ok && !isFresh && canBeSpent(name) && !inFreshGroups) {
      stage = await newStage(changesPeople);
      answer = await call(actor);
    }
    found[actor] = answer.ok ? "ok" : answer.error.type;
    isFresh = !answer.ok;
  }
  // The number of admins is limited.
  if (changesPeople)
    await post(instance.url, "admin.setAdmin", { userId: admin.userId, admin: false }, root.accessToken);
  return found as Record<ActorName, Outcome>;
}

const actions = Object.entries(ACTIONS);

test("every action with a transport has a row", () => {
  const reachable = actions.filter(([, { transports }]) => transports.length > 0);
  expect(Object.keys(MATRIX).sort()).toEqual(reachable.map(([name]) => name).sort());
});

test("internal actions have no transport", () => {
  const internal = actions.filter(([, { permission }]) => permission.rule === "internal");
  expect(internal.filter(([, { transports }]) => transports.length > 0)).toEqual([]);
});

const rows = Object.entries(MATRIX) as [ActionName, Row][];

describe.concurrent("outcomes for every actor of", () => {
  test.each(rows)("%s", async (name, row) => {
    expect(await outcomesOf(name, row, false)).toEqual(row.outcomes);
  });
});

// A second success can be due to the first one.
const severalSucceed = ([name, { outcomes }]: [ActionName, Row]): boolean =>
  canBeSpent(name) && Object.values(outcomes).filter((outcome) => outcome === "ok").length > 1;

describe.concurrent("outcomes in an unchanged group for every actor of", { tags: "long" }, () => {
  test.each(rows.filter(severalSucceed))("%s", async (name, row) => {
    expect(await outcomesOf(name, row, true)).toEqual(row.outcomes);
  });
});
