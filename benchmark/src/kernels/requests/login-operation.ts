import type { OpenMember } from "../../receivers/light-receiver.ts";
import type { Receiver } from "../../receivers/receiver.ts";
import type { Operation, OperationContext } from "./operation.ts";
import { membersOf, type PlaceSetup } from "./seats.ts";

const RETRY_MS = 100;

export interface LoginSetup extends PlaceSetup {
  /** Users take turns. */
  tokens: readonly string[];
  /** Different users log in during the warm-up, so that no measured login finds its user online. */
  warmUpTokens: readonly string[];
  /** Per user, followed by those of the warm-up. */
  localAddresses: readonly (string | undefined)[];
}

/** Logins: from the connection's first packet until the server says that the user is in all of their rooms. */
export function createOperation({ setup }: OperationContext<LoginSetup>): Operation {
  const { urls, tokens, warmUpTokens, localAddresses } = setup;
  const errors: Record<string, number> = {};
  /** The connection of each online user; the user's next login ends it. */
  const online = new Map<number, Receiver>();
  let open: OpenMember | undefined;
  return {
    errors,
    async prepare() {
      open = await membersOf(setup);
    },
    begin({ index, isWarmUp }, done) {
      const user = isWarmUp ? tokens.length + (index % warmUpTokens.length) : index % tokens.length;
      online.get(user)?.destroy();
      const assignment = {
        receiver: user,
        credential: (tokens[user] ?? warmUpTokens[user - tokens.length])!,
        localAddress: localAddresses[user],
        server: index % urls.length,
      };
      let isReady = false;
      const member = open!(assignment, {
        online: () => {
          isReady = true;
          done({ ok: true });
        },
        ended: (_, code) => {
          if (online.get(user) === member) online.delete(user);
          if (isReady) errors[code] = (errors[code] ?? 0) + 1;
          else done({ ok: false, code, isAnswer: true, retryAfterMs: RETRY_MS });
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
