import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Override } from "./entities.ts";
import {
  channelPermissions,
  groupPermissions,
  hidesFromSome,
  OWNER_PERMISSIONS,
  PERMISSIONS,
  viewers,
  type Subject,
} from "./permissions.ts";

const { view, sendMessages, manageMessages, ownGroup } = PERMISSIONS;
const bits = fc.integer({ min: 0, max: OWNER_PERMISSIONS });
const id = fc.constantFrom("a", "b", "c", "d");
const role = fc.record({ id, permissions: bits });
const member: fc.Arbitrary<Subject> = fc.record({
  userId: id,
  isOwner: fc.constant(false),
  roles: fc.uniqueArray(role, { selector: (one) => one.id }),
});
const target: fc.Arbitrary<Override["target"]> = fc.oneof(
  fc.constant({ type: "everyone" as const }),
  id.map((of) => ({ type: "role" as const, id: of })),
  id.map((of) => ({ type: "member" as const, id: of })),
);
const override: fc.Arbitrary<Override> = fc
  .record({ target, allow: bits, deny: bits })
  .map(({ allow, deny, ...rest }) => ({ ...rest, allow, deny: deny & ~allow }));
const overrides = fc.uniqueArray(override, { selector: (one) => JSON.stringify(one.target) });

const inChannel = (subject: Subject, defaults: number, list: readonly Override[]) =>
  channelPermissions(subject, groupPermissions(subject, defaults), list);

describe("in a group", () => {
  test("the owner has all permissions regardless of roles, and only the owner has ownGroup", () => {
    fc.assert(
      fc.property(member, bits, overrides, (subject, defaults, list) => {
        const owner = { ...subject, isOwner: true };
        expect(groupPermissions(owner, defaults)).toBe(OWNER_PERMISSIONS);
        expect(inChannel(owner, defaults, list)).toBe(OWNER_PERMISSIONS);
        expect(groupPermissions(subject, defaults) & ownGroup).toBe(0);
      }),
    );
  });

  test("every member can view the group", () => {
    fc.assert(
      fc.property(member, bits, (subject, defaults) => {
        expect(groupPermissions(subject, defaults) & view).toBe(view);
      }),
    );
  });

  test("another role never removes permissions", () => {
    fc.assert(
      fc.property(member, role, bits, (subject, further, defaults) => {
        const before = groupPermissions(subject, defaults);
        const after = groupPermissions({ ...subject, roles: [...subject.roles, further] }, defaults);
        expect(after & before).toBe(before);
      }),
    );
  });
});

describe("in a channel", () => {
  test("without overrides the group permissions apply", () => {
    fc.assert(
      fc.property(member, bits, (subject, defaults) => {
        expect(inChannel(subject, defaults, [])).toBe(groupPermissions(subject, defaults));
      }),
    );
  });

  test("the order of roles and overrides does not matter", () => {
    fc.assert(
      fc.property(member, bits, overrides, (subject, defaults, list) => {
        const turned = { ...subject, roles: subject.roles.toReversed() };
        expect(inChannel(turned, defaults, list.toReversed())).toBe(inChannel(subject, defaults, list));
      }),
    );
  });

  test("a member without view has no permissions in the channel", () => {
    fc.assert(
      fc.property(member, bits, overrides, (subject, defaults, list) => {
        const own = { type: "member" as const, id: subject.userId };
        const others = list.filter((one) => JSON.stringify(one.target) !== JSON.stringify(own));
        const denied = [...others, { target: own, allow: 0, deny: view }];
        expect(inChannel(subject, defaults, denied)).toBe(0);
      }),
    );
  });

  test("allowing more never removes permissions, denying more never adds any", () => {
    fc.assert(
      fc.property(member, bits, overrides, fc.nat(), bits, (subject, defaults, list, at, more) => {
        fc.pre(list.length > 0);
        const index = at % list.length;
        const before = inChannel(subject, defaults, list);
        const allowing = list.map((one, i) => (i === index ? { ...one, allow: one.allow | more } : one));
        expect(inChannel(subject, defaults, allowing) & before).toBe(before);
        const denying = list.map((one, i) =>
          i === index ? { ...one, deny: one.deny | (more & ~one.allow) } : one,
        );
        expect(inChannel(subject, defaults, denying) & ~before).toBe(0);
      }),
    );
  });

  test("an override for a role or member does not affect other members", () => {
    fc.assert(
      fc.property(member, bits, overrides, (subject, defaults, list) => {
        const concerned = list.filter(({ target: of }) => {
          if (of.type === "everyone") return true;
          return of.type === "member" ? of.id === subject.userId : subject.roles.some((r) => r.id === of.id);
        });
        expect(inChannel(subject, defaults, list)).toBe(inChannel(subject, defaults, concerned));
      }),
    );
  });

  test("overrides apply in the order everyone, roles, member", () => {
    const subject = { userId: "a", isOwner: false, roles: [{ id: "mod", permissions: manageMessages }] };
    const everyone = { target: { type: "everyone" as const }, allow: 0, deny: view | sendMessages };
    const mod = { target: { type: "role" as const, id: "mod" }, allow: view | sendMessages, deny: 0 };
    const own = { target: { type: "member" as const, id: "a" }, allow: 0, deny: sendMessages };
    const all = view | sendMessages;
    expect(inChannel(subject, all, [everyone])).toBe(0);
    expect(inChannel(subject, all, [everyone, mod])).toBe(view | sendMessages | manageMessages);
    expect(inChannel(subject, all, [everyone, mod, own])).toBe(view | manageMessages);
  });
});

test("the sets of viewers contain exactly the members with the view permission", () => {
  fc.assert(
    fc.property(member, bits, overrides, (subject, defaults, list) => {
      const sets = viewers(list);
      const has = (ids: readonly string[]) => subject.roles.some((one) => ids.includes(one.id));
      const isIn =
        sets.memberIds.includes(subject.userId) ||
        (!sets.exceptMemberIds.includes(subject.userId) &&
          (has(sets.roleIds) || (sets.everyone && !has(sets.exceptRoleIds))));
      const sees = inChannel(subject, defaults, list) !== 0;
      expect(isIn).toBe(sees);
      expect(sees || hidesFromSome(list)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
