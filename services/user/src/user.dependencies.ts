import type { NodeContext } from "@fanfare/kernel";
import type { Admins } from "./admins.ts";
import type { BlockRepository } from "./block.repository.ts";
import type { Passwords } from "./passwords.ts";
import type { SessionRepository } from "./session.repository.ts";
import type { Sessions } from "./sessions.ts";
import type { UserRepository } from "./user.repository.ts";

/** What the actions of this service work with. */
export interface UserDependencies {
  node: NodeContext;
  users: UserRepository;
  admins: Admins;
  blocks: BlockRepository;
  sessionRepository: SessionRepository;
  sessions: Sessions;
  passwords: Passwords;
}
