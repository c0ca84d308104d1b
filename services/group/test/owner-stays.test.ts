import { OWNER_PERMISSIONS, userRoom } from "@fanfare/contract";
import { expect, test } from "vitest";
import { createRepositories } from "../src/group.dependencies.ts";
import { createMembership } from "../src/group/membership.ts";
import { createRoom, startGroupNode } from "./group-node.ts";

test("a member who becomes the owner between the check and the removal stays", async () => {
  const host = await startGroupNode();
  try {
    const { group, owner } = await createRoom(host);
    const membership = createMembership({
      node: host.node,
      ...createRepositories(host.node.database),
      announcer: {
        changed: () => expect.fail("published"),
        recounted: () => undefined,
        updated: (group) => ({ group }),
        stop: async () => undefined,
      },
      memberCounts: {
        checkOnce: () => undefined,
        checkAgain: () => undefined,
        forget: () => undefined,
        stop: async () => undefined,
      },
      privateGroups: { among: async () => new Set() },
      changeOverrides: () => expect.fail("changed"),
    });
    expect(await membership.remove(group.id, owner.userId, "left")).toBe("is the owner");
    const access = await host.call("group.access", { userId: owner.userId, groupId: group.id });
    expect(access.permissions).toBe(OWNER_PERMISSIONS);
    expect((await host.call("group.get", { groupId: group.id }, owner)).group.memberCount).toBe(1);
    const { rooms } = await host.call("group.listRooms", { userIds: [owner.userId] });
    expect(rooms[0]).toContain(userRoom(owner.userId));
  } finally {
    await host.stop();
  }
});
