import { Agent } from "node:http";
import { exchange } from "../../targets/exchange.ts";
import type { LightServer } from "../../receivers/light-socket.ts";
import { Member, type MemberContext } from "./member.ts";
import type { Operation, OperationContext, Request, RequestOutcome } from "./operation.ts";
import { lightServers, memberContext, Seats, type SeatSetup } from "./seats.ts";

/** One kind of request in a mix. */
export interface MixedCall {
  name: string;
  /** Its relative frequency. */
  weight: number;
  /**
   * `call`: an action over the socket. `connect`: a connection that is closed once it is ready. `upload`: a
   * file by HTTP.
   */
  kind: "call" | "connect" | "upload";
  /** Of a call. */
  action?: string;
  /** Used in turn; of an upload: the query and `bytes`. Messages get a unique nonce. */
  params?: readonly Record<string, unknown>[];
}

export interface MixSetup extends SeatSetup {
  calls: readonly MixedCall[];
}

type Done = (outcome: RequestOutcome) => void;

/** In a closed loop, after a failed request. */
const RETRY_MS = 100;
/** Concurrent uploads; further ones count as not sent. A queue here would be measured as the server's time. */
const MAX_UPLOADS = 1000;

/** The call of each request in turn: each kind is spread evenly according to its weight. */
export function interleave(calls: readonly MixedCall[]): MixedCall[] {
  const slots = calls.flatMap((call) =>
    Array.from({ length: call.weight }, (_, i) => ({ call, at: (i + 0.5) / call.weight })),
  );
  return slots.sort((a, b) => a.at - b.at).map(({ call }) => call);
}

/** A mix of requests of all kinds, over connections that are reopened whenever they end. */
class MixOperation implements Operation {
  readonly #setup: MixSetup;
  readonly #schedule: readonly MixedCall[];
  readonly #seats: Seats;
  readonly #agent = new Agent({ keepAlive: true });
  #server: LightServer | undefined;
  #context: MemberContext | undefined;
  #nonces = 0;
  #uploads = 0;

  constructor({ setup }: OperationContext<MixSetup>) {
    this.#setup = setup;
    this.#schedule = interleave(setup.calls);
    this.#seats = new Seats(setup);
  }

  get errors(): Readonly<Record<string, number>> {
    return this.#seats.errors;
  }

  async prepare(): Promise<void> {
    [this.#server] = await lightServers(this.#setup);
    this.#context = await memberContext(this.#setup);
    await this.#seats.connect([...this.#setup.tokens.keys()]);
  }

  begin({ index }: Request, done: Done): boolean {
    const { tokens, runId } = this.#setup;
    const { kind, action, params = [] } = this.#schedule[index % this.#schedule.length]!;
    const ours = params[Math.floor(index / this.#schedule.length) % params.length];
    const seat = index % tokens.length;
    if (kind === "connect") return this.#connect(seat, done);
    if (kind === "upload") {
      if (this.#uploads >= MAX_UPLOADS) return false;
      void this.#upload(seat, ours as { bytes: number }, done);
      return true;
    }
    const full = action === "message.send" ? { ...ours, nonce: `${runId}.${this.#nonces++}` } : ours!;
    return this.#seats.call(seat, action!, full, (outcome) =>
      done(outcome.ok ? outcome : { ...outcome, retryAfterMs: RETRY_MS }),
    );
  }

  close(): void {
    this.#seats.close();
    this.#agent.destroy();
  }

  #connect(seat: number, done: Done): boolean {
    const { tokens, localAddresses = [] } = this.#setup;
    const place = { server: this.#server!, token: tokens[seat]!, localAddress: localAddresses[seat] };
    const member = new Member(this.#context!, place, {
      ready: () => {
        member.destroy();
        done({ ok: true });
      },
      ended: (code) => done(failure(code)),
    });
    return true;
  }

  async #upload(seat: number, { bytes, ...query }: { bytes: number }, done: Done): Promise<void> {
    this.#uploads += 1;
    const { tokens, urls } = this.#setup;
    const url = new URL(`/api/file.upload?${new URLSearchParams(query).toString()}`, urls[0]);
    const headers = { authorization: `Bearer ${tokens[seat]}` };
    let code: string | undefined;
    try {
      const options = { method: "POST", agent: this.#agent, headers };
      const { status, text } = await exchange(url, options, Buffer.alloc(bytes, 120));
      if (status !== 200) code = /"type":"([A-Z_]+)"/.exec(text)?.[1] ?? `HTTP_${status}`;
    } catch (error) {
      code = (error as NodeJS.ErrnoException).code ?? "NETWORK_ERROR";
    }
    this.#uploads -= 1;
    done(code === undefined ? { ok: true } : failure(code));
  }
}

const failure = (code: string): RequestOutcome => ({
  ok: false,
  code,
  isAnswer: true,
  retryAfterMs: RETRY_MS,
});

export function createOperation(context: OperationContext<MixSetup>): Operation {
  return new MixOperation(context);
}
