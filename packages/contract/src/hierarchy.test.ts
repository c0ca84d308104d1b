import fc from "fast-check";
import { expect, test } from "vitest";
import {
  compareRoles,
  isReorderAllowed,
  mayGrant,
  mayTouchMember,
  mayTouchRole,
  type Authority,
} from "./permissions.ts";

const role = fc.record({
  id: fc.constantFrom<string>("a", "b", "c", "d", "e"),
  position: fc.integer({ min: -3, max: 3 }),
});
const roles = fc.uniqueArray(role, { selector: (one) => one.id });
const subsetOf = (all: Authority["roles"]) => fc.subarray([...all]);

/** A group's roles, and two members with some of them. */
const scene = roles.chain((all) =>
  fc.record({
    all: fc.constant(all),
    actor: fc.record({ userId: fc.constant("actor"), isOwner: fc.boolean(), roles: subsetOf(all) }),
    target: fc.record({ userId: fc.constant("target"), isOwner: fc.constant(false), roles: subsetOf(all) }),
  }),
);

test("members can only manage roles below their highest, and the owner can manage all", () => {
  fc.assert(
    fc.property(scene, ({ all, actor }) => {
      const highest = actor.roles.toSorted(compareRoles).at(-1);
      for (const one of all) {
        const isBelow = highest !== undefined && compareRoles(one, highest) < 0;
        expect(mayTouchRole(actor, one)).toBe(actor.isOwner || isBelow);
      }
    }),
  );
});

test("of two members at most one can manage the other, and no one themselves or the owner", () => {
  fc.assert(
    fc.property(scene, ({ actor, target }) => {
      expect(mayTouchMember(actor, target) && mayTouchMember(target, actor)).toBe(false);
      expect(mayTouchMember(actor, actor)).toBe(false);
      expect(mayTouchMember(actor, { ...target, isOwner: true })).toBe(false);
      const equal = { ...target, roles: actor.roles };
      expect(mayTouchMember({ ...actor, isOwner: false }, equal)).toBe(false);
    }),
  );
});

test("a moderator can manage members without roles; members without roles can manage no one", () => {
  const moderator = { userId: "m", isOwner: false, roles: [{ id: "mod", position: 1 }] };
  const plain = { userId: "p", isOwner: false, roles: [] };
  expect(mayTouchMember(moderator, plain)).toBe(true);
  expect(mayTouchMember(plain, moderator)).toBe(false);
  expect(mayTouchMember(plain, { ...plain, userId: "q" })).toBe(false);
});

test("reordering leaves roles in place that the actor can't manage", () => {
  fc.assert(
    fc.property(
      scene.chain((s) =>
        fc.record({
          scene: fc.constant(s),
          order: fc.shuffledSubarray(
            s.all.map(({ id }) => id),
            { minLength: s.all.length },
          ),
        }),
      ),
      ({ scene: { all, actor }, order }) => {
        const before = all.toSorted(compareRoles).map(({ id }) => id);
        expect(isReorderAllowed(actor, all, before)).toBe(true);
        if (!isReorderAllowed(actor, all, order)) return;
        const moved = all.filter(({ id }) => before.indexOf(id) !== order.indexOf(id));
        for (const one of moved) expect(mayTouchRole(actor, one)).toBe(true);
        // Nor does a role come above one that it was below, if that one may not be touched.
        const highest = actor.roles.toSorted(compareRoles).at(-1);
        const stays = highest === undefined || order.indexOf(highest.id) === before.indexOf(highest.id);
        expect(stays || actor.isOwner).toBe(true);
      },
    ),
  );
});

test("members can only grant permissions that they have", () => {
  expect(mayGrant(0b0110, 0b0010)).toBe(true);
  expect(mayGrant(0b0110, 0b0011)).toBe(false);
  expect(mayGrant(0, 0)).toBe(true);
});
