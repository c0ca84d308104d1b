import { exchange, keepAliveAgent } from "../targets/exchange.ts";
import type { LongPollDialect, PollRequest } from "../targets/plugin.ts";
import { obey, readPacket } from "./packet.ts";
import { ending, type OpenReceiver, type ReceiverOptions } from "./receiver.ts";

/** Receivers with Node's HTTP client, each with a connection of its own and always one request under way. */
export function longPollReceivers(options: ReceiverOptions<LongPollDialect>): OpenReceiver {
  const { urls, dialect, runId, onRead } = options;
  return ({ receiver, credential, localAddress, server }, observer) => {
    const base = urls[server]!;
    const agent = keepAliveAgent(base, 1);
    const life = ending(receiver, observer, () => agent.destroy());

    async function poll(request: PollRequest): Promise<void> {
      const { method = "GET", path, headers = {}, body } = request;
      const url = new URL(dialect.path + path, base);
      const answer = await exchange(url, { method, agent, headers, localAddress }, body).catch(
        (error: NodeJS.ErrnoException) => life.end(error.code ?? error.message),
      );
      if (!answer || life.hasEnded()) return;
      if (answer.status < 200 || answer.status > 299) life.end(`HTTP_${answer.status}`);
      else read(answer.text, request);
    }

    function read(body: string, request: PollRequest): void {
      onRead?.();
      let next: PollRequest | undefined;
      const packet = readPacket(() => dialect.read(body, credential, request), runId);
      obey(packet, receiver, observer, { end: life.end, poll: (following) => (next = following) });
      if (life.hasEnded()) return;
      if (next) void poll(next);
      else life.end("NO_NEXT_REQUEST");
    }

    void poll(dialect.hello(credential));
    return { close: () => life.end("CLOSED"), destroy: life.destroy };
  };
}
