import type { LightServer } from "../../receivers/light-socket.ts";
import { Member, type MemberContext } from "./member.ts";
import type { Operation, OperationContext, Request, RequestOutcome } from "./operation.ts";
import { lightServers, memberContext, type PlaceSetup } from "./seats.ts";

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
class LoginOperation implements Operation {
  readonly errors: Record<string, number> = {};
  readonly #setup: LoginSetup;
  #servers: LightServer[] = [];
  /** The connection of each online user; the user's next login ends it. */
  readonly #online = new Map<number, Member>();
  #context: MemberContext | undefined;

  constructor({ setup }: OperationContext<LoginSetup>) {
    this.#setup = setup;
  }

  async prepare(): Promise<void> {
    this.#servers = await lightServers(this.#setup);
    this.#context = await memberContext(this.#setup);
  }

  begin({ index, isWarmUp }: Request, done: (outcome: RequestOutcome) => void): boolean {
    const { tokens, warmUpTokens, localAddresses } = this.#setup;
    const user = isWarmUp ? tokens.length + (index % warmUpTokens.length) : index % tokens.length;
    this.#online.get(user)?.destroy();
    const place = {
      server: this.#servers[index % this.#servers.length]!,
      token: (tokens[user] ?? warmUpTokens[user - tokens.length])!,
      localAddress: localAddresses[user],
    };
    let isReady = false;
    const member = new Member(this.#context!, place, {
      ready: () => {
        isReady = true;
        done({ ok: true });
      },
      ended: (code) => {
        if (this.#online.get(user) === member) this.#online.delete(user);
        if (isReady) this.errors[code] = (this.errors[code] ?? 0) + 1;
        else done({ ok: false, code, isAnswer: true, retryAfterMs: RETRY_MS });
      },
    });
    this.#online.set(user, member);
    return true;
  }

  close(): void {
    for (const member of this.#online.values()) member.destroy();
  }
}

export function createOperation(context: OperationContext<LoginSetup>): Operation {
  return new LoginOperation(context);
}
