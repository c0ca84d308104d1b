import fc from "fast-check";
import { expect, test } from "vitest";
import {
  compareRoles,
  isReorderAllowed,
  canGrant,
  canManageMember,
  canManageRole,
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
        expect(canManageRole(actor, one)).toBe(actor.isOwner || isBelow);
      }
    }),
  );
});

test("of two members at most one can manage the other, and no one themselves or the owner", () => {
  fc.assert(
    fc.property(scene, ({ actor, target }) => {
      expect(canManageMember(actor, target) && canManageMember(target, actor)).toBe(false);
      expect(canManageMember(actor, actor)).toBe(false);
      expect(canManageMember(actor, { ...target, isOwner: true })).toBe(false);
      const equal = { ...target, roles: actor.roles };
      expect(canManageMember({ ...actor, isOwner: false }, equal)).toBe(false);
    }),
  );
});

test("a moderator can manage members without roles; members without roles can manage no one", () => {
  const moderator = { userId: "m", isOwner: false, roles: [{ id: "mod", position: 1 }] };
  const plain = { userId: "p", isOwner: false, roles: [] };
  expect(canManageMember(moderator, plain)).toBe(true);
  expect(canManageMember(plain, moderator)).toBe(false);
  expect(canManageMember(plain, { ...plain, userId: "q" })).toBe(false);
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
        for (const one of moved) expect(canManageRole(actor, one)).toBe(true);
        // Nor does a role come above one that it was below, if that one may not be touched.
        const highest = actor.roles.toSorted(compareRoles).at(-1);
        const stays = highest === undefined || order.indexOf(highest.id) === before.indexOf(highest.id);
        expect(stays || actor.isOwner).toBe(true);
      },
    ),
  );
});

test("members can only grant permissions that they have", () => {
  expect(canGrant(0b0110, 0b0010)).toBe(true);
  expect(canGrant(0b0110, 0b0011)).toBe(false);
  expect(canGrant(0, 0)).toBe(true);
});
