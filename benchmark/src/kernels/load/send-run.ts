import { connectError } from "../../cli/exit.ts";
import { addressOf } from "../../receivers/audience.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import { allocateConnections, Count, type ConnectionMemory } from "../../receivers/receiver-group.ts";
import { SourceAddresses } from "../../receivers/source-addresses.ts";
import type { Api } from "../../targets/fanfare/api.ts";
import { describeTarget, type LoadContext } from "./load-context.ts";
import { allocateLoad, Progressed } from "./load-memory.ts";
import type { LoadMeasurement } from "./load-result.ts";
import { emptyRecord, runLoad } from "./load-run.ts";
import { allocateLoadTally, LoadTally } from "./load-tally.ts";
import { LoadThreads } from "./load-threads.ts";
import { senderOf, turnOf } from "./loops.ts";
import { readBack } from "./read-back.ts";
import type { ConnectionSetup } from "./receive-messages.ts";
import { ReceiveThreads } from "./receive-threads.ts";
import type { Scene } from "./scene.ts";
import type { SendSetup } from "./send-operation.ts";
import { summariseLoad } from "./summarise-load.ts";

const CONNECT_TIMEOUT_MS = 15_000;

/**
 * Connects everyone in the scene who is to be online, sends what the plan says, waits for the last delivery and
 * reads back what is stored. On an abort signal, the measurement has everything up to then.
 * @throws {ExitError} if someone could not be connected
 */
export function measureSends(context: LoadContext, scene: Scene, api: Api): Promise<LoadMeasurement> {
  return new SendRun(context, scene, api).measure();
}

class SendRun {
  readonly #context: LoadContext;
  readonly #scene: Scene;
  readonly #api: Api;
  readonly #runId = newRunId();
  readonly #cpuAtStart = process.cpuUsage();
  readonly #memory;
  readonly #tally: LoadTally;
  readonly #connections: ConnectionMemory;

  constructor(context: LoadContext, scene: Scene, api: Api) {
    this.#context = context;
    this.#scene = scene;
    this.#api = api;
    const { loop } = context.plan;
    const { receivers, senders, channels } = scene;
    const online = receivers.length + senders.length;
    this.#memory = allocateLoad(loop.requests);
    this.#connections = allocateConnections(online);
    const tallyMemory = allocateLoadTally({
      receivers: online,
      channels: channels.map(({ connections }) => connections),
      messages: loop.requests,
      channelOf: (message) =>
        scene.channelOf(senderOf(message, loop, senders.length), turnOf(message, loop, senders.length)),
    });
    this.#tally = new LoadTally(tallyMemory, this.#memory.intendedAt);
  }

  async measure(): Promise<LoadMeasurement> {
    const { target, plan, errors, signal } = this.#context;
    const { receivers, senders } = this.#scene;
    const addresses = await Promise.all(target.urls.map(addressOf));
    const localAddresses = new SourceAddresses(addresses[0]!).take(receivers.length + senders.length);
    const setup: ConnectionSetup = {
      urls: target.urls,
      addresses,
      dialect: target.dialect,
      runId: this.#runId,
      tally: this.#tally.memory,
      intendedAt: this.#memory.intendedAt,
      connections: this.#connections,
    };
    const audience =
      receivers.length === 0
        ? undefined
        : new ReceiveThreads(
            { ...setup, window: plan.window, timeoutMs: CONNECT_TIMEOUT_MS, napMs: plan.napMs },
            plan.receivingThreads,
            signal,
          );
    const threads = new LoadThreads(
      new URL("./send-operation.ts", import.meta.url),
      this.#sendSetup(setup, localAddresses.slice(receivers.length)),
      plan.sendingThreads,
      signal,
    );
    let record = emptyRecord();
    let copies: Uint8Array | undefined;
    try {
      if (audience) await this.#connect(audience, localAddresses);
      await threads.prepare();
      record = await runLoad({
        ...this.#context,
        senders: senders.length,
        memory: this.#memory,
        threads,
        tally: this.#tally,
        receivers: audience,
        usage: () => target.usage(),
        isThrowaway: target.isThrowaway,
      });
      if (record.isComplete) copies = await this.#readBack();
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      const tables = [...(await threads.close()), ...((await audience?.close()) ?? [])];
      for (const [code, count] of tables.flatMap((table) => Object.entries(table)))
        errors.add("connection", code, count);
    }
    for (const [code, count] of record.reports.flatMap((report) => Object.entries(report.errors)))
      errors.add("send", code, count);
    return summariseLoad({
      target: describeTarget(this.#context),
      plan,
      scene: this.#scene.size,
      registration: this.#scene.registration,
      record,
      memory: this.#memory,
      tally: this.#tally,
      connections: this.#connections,
      copies,
      cpuAtStart: this.#cpuAtStart,
      errors: errors.rows(),
    });
  }

  #sendSetup(setup: ConnectionSetup, localAddresses: readonly (string | undefined)[]): SendSetup {
    const { plan } = this.#context;
    const { receivers, senders, channels } = this.#scene;
    return {
      ...setup,
      loop: plan.loop,
      warmUpRunId: newRunId(),
      tokens: senders,
      localAddresses,
      firstReceiver: receivers.length,
      channelIds: channels.map(({ id }) => id),
      payloadBytes: plan.payloadBytes,
    };
  }

  async #connect(audience: ReceiveThreads, localAddresses: readonly (string | undefined)[]): Promise<void> {
    const { target, progress } = this.#context;
    const assignments = this.#scene.receivers.map((credential, receiver) => ({
      receiver,
      credential,
      localAddress: localAddresses[receiver],
      server: receiver % target.urls.length,
    }));
    await progress.during(
      "connecting",
      assignments.length,
      () => Atomics.load(this.#connections.counts, Count.online),
      () => audience.connect(assignments),
    );
    const gaveUp = Atomics.load(this.#connections.counts, Count.gaveUp);
    if (gaveUp > 0)
      throw connectError(
        `${gaveUp} of ${assignments.length} connections to ${target.urls.join(", ")} failed.`,
      );
  }

  #readBack(): Promise<Uint8Array> {
    const { progress, signal } = this.#context;
    return readBack({
      api: this.#api,
      channels: this.#scene.channels,
      runId: this.#runId,
      messages: this.#memory.requests,
      acknowledged: Atomics.load(this.#memory.progress, Progressed.acknowledged),
      progress,
      signal,
    });
  }
}
