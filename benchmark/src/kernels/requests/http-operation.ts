import { setTimeout as sleep } from "node:timers/promises";
import { newRunId, taggedContent } from "../../receivers/message-tag.ts";
import { encodeRequest, placeOf } from "../../receivers/transport.ts";
import { sum } from "../broadcast/percentiles.ts";
import { HttpConnection, type HttpAnswer } from "./http-connection.ts";
import { errorIn, failure, type Operation, type OperationContext, type RequestOutcome } from "./operation.ts";

export interface HttpCall {
  method: "GET" | "POST";
  path: string;
  token?: string;
  params?: object;
  /** Sent instead of params. */
  file?: string;
  /** Added to the content of a message. */
  ending?: string;
}

export interface HttpSetup {
  url: string;
  /** The IP address of the server. */
  address: string;
  /** Of each connection; undefined: the system chooses. */
  localAddresses: readonly (string | undefined)[];
  /** One of them is chosen at random for each request. */
  calls: readonly HttpCall[];
  /** The calls send messages, each with a content and a nonce of its own. */
  message?: { runId: string; payloadBytes: number };
  /** The length of every response; undefined: any. */
  bodyBytes?: number;
}

const READ_BUFFER_BYTES = 64 * 1024;
const CONNECT_TIMEOUT_MS = 15_000;
const UNANSWERED = { isAnswer: false, retryAfterMs: 0 };

/** Requests on keep-alive connections, one at a time on each. */
export function createOperation({ setup }: OperationContext<HttpSetup>): Operation {
  const { message, bodyBytes } = setup;
  let { calls } = setup;
  const url = new URL(setup.url);
  const buffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
  const place = placeOf(url, setup.address);
  // Not part of the run's: receivers would take a warm-up message for a changed one.
  const warmUpRunId = newRunId();
  const errors: Record<string, number> = {};
  const onLost = (code: string) => void (errors[code] = (errors[code] ?? 0) + 1);
  const connections = setup.localAddresses.map(
    (localAddress) => new HttpConnection(place, localAddress, buffer, onLost),
  );
  return {
    errors,
    get dropped() {
      return sum(connections.map(({ dropped }) => dropped));
    },
    get hasEnded() {
      return connections.every(({ isGivenUp }) => isGivenUp);
    },
    async prepare() {
      const all = Promise.all(connections.map((connection) => connection.open()));
      await Promise.race([all, sleep(CONNECT_TIMEOUT_MS, undefined, { ref: false })]);
    },
    renew(tokens) {
      calls = calls.map((call, i) => ({ ...call, token: tokens[i]! }));
    },
    begin({ index, sender, isWarmUp }, done) {
      const call = calls[Math.floor(Math.random() * calls.length)]!;
      const { method, path, token, params, file, ending = "" } = call;
      const runId = isWarmUp ? warmUpRunId : message?.runId;
      const own = message && {
        content: taggedContent(runId!, index, message.payloadBytes) + ending,
        nonce: `${runId}-${index}`,
      };
      const headers = {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(params !== undefined && { "content-type": "application/json" }),
        ...(file !== undefined && { "content-type": "application/octet-stream" }),
      };
      const body = params === undefined ? file : JSON.stringify({ ...params, ...own });
      const bytes = encodeRequest(method, path, url.host, headers, body);
      return connections[sender]!.ask(bytes, (answer) =>
        done("error" in answer ? failure(answer.error, UNANSWERED) : outcomeOf(answer, bodyBytes)),
      );
    },
    close() {
      for (const connection of connections) connection.close();
    },
  };
}

function outcomeOf({ status, body }: HttpAnswer, bodyBytes: number | undefined): RequestOutcome {
  if (status === 200 && (bodyBytes ?? body.length) === body.length) return { ok: true };
  const text = body.toString("latin1");
  const code = status === 200 ? "WRONG_LENGTH" : errorIn(status, text);
  // Not all in the same instant: that would be the next overload.
  const retryAfterMs = Number(/"retryAfterMs":(\d+)/.exec(text)?.[1] ?? 0) * (1 + Math.random());
  return failure(code, { retryAfterMs });
}
