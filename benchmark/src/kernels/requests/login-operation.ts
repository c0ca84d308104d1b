import type { OpenMember } from "../../receivers/light-receiver.ts";
import type { Receiver } from "../../receivers/receiver.ts";
import { failure, type Operation, type OperationContext } from "./operation.ts";
import { membersOf, type PlaceSetup } from "./seats.ts";

export interface LoginSetup extends PlaceSetup {
  /** Users take turns. */
  tokens: readonly string[];
  /** Different users log in during the warm-up, so that no measured login finds its user online. */
  warmUpTokens: readonly string[];
  /** Per user, followed by those of the warm-up. */
  localAddresses: readonly (string | undefined)[];
  /** When a login that hangs no longer keeps its user from the next one. */
  timeoutMs: number;
}

/** Logins: from the connection's first packet until the server says that the user is in all of their rooms. */
export function createOperation({ setup }: OperationContext<LoginSetup>): Operation {
  const { urls, tokens, warmUpTokens, localAddresses, timeoutMs } = setup;
  let credentials = [...tokens, ...warmUpTokens];
  const errors: Record<string, number> = {};
  /** The connection of each user; the user's next login ends it. */
  const online = new Map<number, Receiver>();
  /** Users who are logging in, and since when. */
  const pending = new Map<number, number>();
  let open: OpenMember | undefined;
  let dropped = 0;
  return {
    errors,
    get dropped() {
      return dropped;
    },
    async prepare() {
      open = await membersOf(setup);
    },
    renew(all) {
      credentials = [...all];
    },
    begin({ index, isWarmUp, sentMs }, done) {
      const user = isWarmUp ? tokens.length + (index % warmUpTokens.length) : index % tokens.length;
      // Ending a login before its time would be taken for the server's failure.
      if (sentMs - (pending.get(user) ?? -Infinity) < timeoutMs) return false;
      pending.set(user, sentMs);
      online.get(user)?.destroy();
      const assignment = {
        receiver: user,
        credential: credentials[user]!,
        localAddress: localAddresses[user],
        server: index % urls.length,
      };
      const member = open!(assignment, {
        online: () => {
          pending.delete(user);
          done({ ok: true });
        },
        ended: (_, code) => {
          online.delete(user);
          if (pending.delete(user)) return done(failure(code));
          dropped++;
          errors[code] = (errors[code] ?? 0) + 1;
        },
      });
      online.set(user, member);
      return true;
    },
    close() {
      for (const member of online.values()) member.destroy();
    },
  };
}
