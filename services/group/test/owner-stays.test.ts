import { OWNER_PERMISSIONS, userRoom } from "@fanfare/contract";
import { expect, test } from "vitest";
import { createBanRepository } from "../src/ban.repository.ts";
import { createChannelRepository } from "../src/channel.repository.ts";
import { createDepartureRepository } from "../src/departure.repository.ts";
import { createFormerMemberRepository } from "../src/former-member.repository.ts";
import { createGroupRepository } from "../src/group.repository.ts";
import { createMemberRepository } from "../src/member.repository.ts";
import { createMembership } from "../src/membership.ts";
import { createMuteRepository } from "../src/mute.repository.ts";
import { createOverrideRepository } from "../src/override.repository.ts";
import { createRoleRepository } from "../src/role.repository.ts";
import { createRoom, startGroupNode } from "./group-node.ts";

test("who has been made owner between the check and the removal stays in", async () => {
  const host = await startGroupNode();
  try {
    const { group, owner } = await createRoom(host);
    const { database } = host.node;
    const membership = createMembership({
      node: host.node,
      groups: createGroupRepository(database),
      channels: createChannelRepository(database),
      roles: createRoleRepository(database),
      overrides: createOverrideRepository(database),
      members: createMemberRepository(database),
      mutes: createMuteRepository(database),
      bans: createBanRepository(database),
      departures: createDepartureRepository(database),
      formers: createFormerMemberRepository(database),
      announcer: {
        changed: () => expect.fail("told"),
        recounted: () => undefined,
        told: () => undefined,
        stop: async () => undefined,
      },
      memberCounts: {
        checkOnce: () => undefined,
        checkAgain: () => undefined,
        forget: () => undefined,
        stop: async () => undefined,
      },
    });
    expect(await membership.remove(group.id, owner.userId, "left")).toBe("is the owner");
    const access = await host.call("group.access", { userId: owner.userId, groupId: group.id });
    expect(access.permissions).toBe(OWNER_PERMISSIONS);
    expect((await host.call("group.get", { groupId: group.id }, owner)).group.memberCount).toBe(1);
    expect((await host.call("group.listRooms", owner)).rooms).toContain(userRoom(owner.userId));
  } finally {
    await host.stop();
  }
});
