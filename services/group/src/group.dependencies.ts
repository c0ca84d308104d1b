import type { NodeContext } from "@fanfare/kernel";
import type { Audit } from "./audit.ts";
import type { AuditRepository } from "./audit.repository.ts";
import type { BanRepository } from "./ban.repository.ts";
import type { ChannelMoves } from "./channel-moves.ts";
import type { ChannelRepository } from "./channel.repository.ts";
import type { DepartureRepository } from "./departure.repository.ts";
import type { AllGroupsRepository } from "./all-groups.repository.ts";
import type { FormerMemberRepository } from "./former-member.repository.ts";
import type { DirectRepository } from "./direct.repository.ts";
import type { GroupRepository } from "./group.repository.ts";
import type { InviteRepository } from "./invite.repository.ts";
import type { MemberAnnouncer } from "./member-announcer.ts";
import type { MemberCountCheck } from "./member-count-check.ts";
import type { MemberRepository } from "./member.repository.ts";
import type { MuteRepository } from "./mute.repository.ts";
import type { Membership } from "./membership.ts";
import type { OverrideRepository } from "./override.repository.ts";
import type { PrivateGroups } from "./private-groups.ts";
import type { Purge } from "./purge.ts";
import type { ThreadRepository } from "./thread.repository.ts";
import type { WordFilterRepository } from "./word-filter.repository.ts";
import type { RoleRepository } from "./role.repository.ts";

export interface GroupRepositories {
  groups: GroupRepository;
  channels: ChannelRepository;
  directs: DirectRepository;
  allGroups: AllGroupsRepository;
  threads: ThreadRepository;
  members: MemberRepository;
  roles: RoleRepository;
  overrides: OverrideRepository;
  audits: AuditRepository;
  mutes: MuteRepository;
  invites: InviteRepository;
  bans: BanRepository;
  departures: DepartureRepository;
  formers: FormerMemberRepository;
  wordFilters: WordFilterRepository;
}

/** What the actions of this service work with. */
export interface GroupDependencies extends GroupRepositories {
  node: NodeContext;
  membership: Membership;
  moves: ChannelMoves;
  privateGroups: PrivateGroups;
  audit: Audit;
  announcer: MemberAnnouncer;
  memberCounts: MemberCountCheck;
  purge: Purge;
}
