import { lightServer, readBuffer, socketIoPath, type LightServer } from "../../receivers/light-socket.ts";
import { PacketCache } from "../../receivers/packet-cache.ts";
import { loadDialect, type DialectRef } from "../../targets/dialect.ts";
import { Member, type MemberContext } from "./member.ts";
import type { Operation, OperationContext, OperationOutcome } from "./operation.ts";

const RETRY_MS = 100;

export interface LoginSetup {
  urls: readonly string[];
  /** The IP address of each. */
  addresses: readonly string[];
  dialect: DialectRef;
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
  readonly #servers: LightServer[] = [];
  /** The connection of each online user; the user's next login ends it. */
  readonly #online = new Map<number, Member>();
  #context: MemberContext | undefined;

  constructor({ setup }: OperationContext<LoginSetup>) {
    this.#setup = setup;
  }

  async prepare(): Promise<void> {
    const { urls, addresses } = this.#setup;
    const dialect = await loadDialect(this.#setup.dialect);
    const path = socketIoPath(dialect.path);
    this.#servers.push(...urls.map((url, i) => lightServer(new URL(url), addresses[i]!, path)));
    this.#context = { buffer: readBuffer(), dialect, runId: "", cache: new PacketCache() };
  }

  begin(index: number, isWarmUp: boolean, done: (outcome: OperationOutcome) => void): boolean {
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
      answered: () => {},
      messages: () => {},
      resync: () => {},
    });
    this.#online.set(user, member);
    return true;
  }

  async close(): Promise<void> {
    for (const member of this.#online.values()) member.destroy();
  }
}

export function createOperation(context: OperationContext<LoginSetup>): Operation {
  return new LoginOperation(context);
}
