import type { NodeContext } from "@fanfare/kernel";
import type { BanRepository } from "./ban.repository.ts";
import type { ChannelRepository } from "./channel.repository.ts";
import type { DepartureRepository } from "./departure.repository.ts";
import type { DirectRepository } from "./direct.repository.ts";
import type { GroupRepository } from "./group.repository.ts";
import type { InviteRepository } from "./invite.repository.ts";
import type { MemberAnnouncer } from "./member-announcer.ts";
import type { MemberCountCheck } from "./member-count-check.ts";
import type { MemberRepository } from "./member.repository.ts";
import type { MuteRepository } from "./mute.repository.ts";
import type { Membership } from "./membership.ts";
import type { Purge } from "./purge.ts";

export interface GroupRepositories {
  groups: GroupRepository;
  channels: ChannelRepository;
  directs: DirectRepository;
  members: MemberRepository;
  mutes: MuteRepository;
  invites: InviteRepository;
  bans: BanRepository;
  departures: DepartureRepository;
}

/** What the actions of this service work with. */
export interface GroupDependencies extends GroupRepositories {
  node: NodeContext;
  membership: Membership;
  announcer: MemberAnnouncer;
  memberCounts: MemberCountCheck;
  purge: Purge;
}
