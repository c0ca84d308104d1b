import { Agent } from "node:http";
import { exchange } from "../../targets/exchange.ts";
import type { OpenMember } from "../../receivers/light-receiver.ts";
import { errorIn, failure, type Done, type Operation, type OperationContext } from "./operation.ts";
import { membersOf, openSeats, type SeatSetup } from "./seats.ts";

/** One kind of request in a mix. */
export interface MixedCall {
  name: string;
  /** Its relative frequency. */
  weight: number;
  /** `call`: an action over the socket. `connect`: a connection that is closed once it is ready. `upload`: a file by HTTP. */
  kind: "call" | "connect" | "upload";
  /** Of a call. */
  action?: string;
  /** Used in turn; of an upload: the query and `bytes`. Messages get a unique nonce. */
  params?: readonly Record<string, unknown>[];
}

export interface MixSetup extends SeatSetup {
  calls: readonly MixedCall[];
}

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
export function createOperation({ setup }: OperationContext<MixSetup>): Operation {
  const { urls, tokens, localAddresses = [], runId } = setup;
  const schedule = interleave(setup.calls);
  const seats = openSeats(setup);
  const agent = new Agent({ keepAlive: true });
  let open: OpenMember | undefined;
  let [nonces, uploads] = [0, 0];

  function connect(seat: number, done: Done): boolean {
    const [credential, localAddress] = [tokens[seat]!, localAddresses[seat]];
    const member = open!(
      { receiver: seat, credential, localAddress, server: 0 },
      {
        online: () => {
          member.destroy();
          done({ ok: true });
        },
        ended: (_, code) => done(failure(code)),
      },
    );
    return true;
  }

  async function upload(seat: number, { bytes, ...query }: { bytes: number }, done: Done): Promise<void> {
    uploads += 1;
    const url = new URL(`/api/file.upload?${new URLSearchParams(query).toString()}`, urls[0]);
    const headers = { authorization: `Bearer ${tokens[seat]}` };
    const options = { method: "POST", agent, headers };
    const outcome = await exchange(url, options, Buffer.alloc(bytes, 120)).then(
      ({ status, text }) => (status === 200 ? ({ ok: true } as const) : failure(errorIn(status, text))),
      (error: NodeJS.ErrnoException) => failure(error.code ?? "NETWORK_ERROR"),
    );
    uploads -= 1;
    done(outcome);
  }

  return {
    get errors() {
      return seats.errors;
    },
    async prepare() {
      open = await membersOf(setup);
      await seats.connect([...tokens.keys()]);
    },
    begin({ index }, done) {
      const { kind, action, params = [] } = schedule[index % schedule.length]!;
      const ours = params[Math.floor(index / schedule.length) % params.length];
      const seat = index % tokens.length;
      if (kind === "connect") return connect(seat, done);
      if (kind === "upload") {
        if (uploads >= MAX_UPLOADS) return false;
        void upload(seat, ours as { bytes: number }, done);
        return true;
      }
      const full = action === "message.send" ? { ...ours, nonce: `${runId}.${nonces++}` } : ours!;
      return seats.call(seat, action!, full, (outcome) =>
        done(outcome.ok ? outcome : failure(outcome.code, { isAnswer: outcome.isAnswer })),
      );
    },
    close() {
      seats.close();
      agent.destroy();
    },
  };
}
