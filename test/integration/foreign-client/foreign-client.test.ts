import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Message } from "@fanfare/contract";
import { createWorld, must, TcpProxy, type World } from "@fanfare/testing";
import { startNode, type FanfareNode } from "../../support/node-process.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

// Starting processes takes long on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const CLIENT = fileURLToPath(new URL("client.py", import.meta.url));
const MODULES = "import socketio, websocket";
const python = ["python3", "/usr/bin/python3"].find(
  (program) => spawnSync(program, ["-c", MODULES]).status === 0,
);
if (python === undefined && process.env["REQUIRE_ALL_TESTS"] === "1")
  throw new Error(
    "Install python3-socketio and python3-websocket: REQUIRE_ALL_TESTS=1 allows no test to be skipped.",
  );

interface State {
  rev: number;
  messages: Message[];
  gaps: number;
  repeated: number;
  broken: string[];
}

/** The Python client, which follows one channel. */
class ForeignClient {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(url: string, token: string, channelId: string) {
    this.#child = spawn(python!, [CLIENT, url, token, channelId], { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  async ready(): Promise<void> {
    await this.#next();
  }

  state(): Promise<State> {
    this.#child.stdin!.write("\n");
    return this.#next() as Promise<State>;
  }

  async close(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.stdin!.end();
    await exited;
  }

  async #next(): Promise<unknown> {
    const { value } = await this.#lines.next();
    return JSON.parse(value as string);
  }
}

describe.skipIf(python === undefined)("a Python client written from docs/build/protocol.md alone", () => {
  let node: FanfareNode;
  let proxy: TcpProxy;
  let world: World;
  let client: ForeignClient;

  beforeAll(async () => {
    node = await startNode({ env: { GATEWAY_THREADS: "2" } });
    proxy = await TcpProxy.start(Number(new URL(node.url).port));
    world = await createWorld(node.url);
    client = new ForeignClient(`http://127.0.0.1:${proxy.port}`, world.member.accessToken, world.channel.id);
    await client.ready();
  });
  afterAll(async () => {
    await client?.close();
    await proxy?.stop();
    await node?.process.stop();
  });

  const channelId = () => world.channel.id;

  /** Messages, edits, reactions and deletions by several authors at once. */
  async function write(round: string, times: number): Promise<void> {
    const authors = [world.owner, world.member, world.target];
    const one = async (accessToken: string, author: number): Promise<void> => {
      for (let n = 0; n < times; n += 1) {
        const nonce = `${round}-${author}-${n}`;
        const { message } = await must(
          node.url,
          "message.send",
          { channelId: channelId(), content: nonce, nonce },
          accessToken,
        );
        const place = { channelId: channelId(), messageId: message.id };
        if (n % 3 === 0)
          await must(node.url, "message.edit", { ...place, content: `${nonce}, edited` }, accessToken);
        if (n % 3 === 1) await must(node.url, "message.react", { ...place, emoji: "👍" }, accessToken);
        if (n % 4 === 3) await must(node.url, "message.delete", place, accessToken);
      }
    };
    await Promise.all(authors.map(({ accessToken }, author) => one(accessToken, author)));
  }

  /** Expects the client's copy to equal the server's, message by message. */
  async function expectSame(): Promise<State> {
    const shown = ({ id, seq, rev, content, deletedAt, reactions }: Message) => ({
      id,
      seq,
      rev,
      content,
      deletedAt,
      reactions,
    });
    await vi.waitFor(
      async () => {
        const { messages, head } = await must(
          node.url,
          "message.list",
          { channelId: channelId(), limit: 100 },
          world.owner.accessToken,
        );
        const state = await client.state();
        expect(state.rev).toBe(head.rev);
        expect(state.messages.map(shown)).toEqual(messages.map(shown));
      },
      { timeout: 200_000, interval: 500 },
    );
    return client.state();
  }

  test("follows messages, edits, reactions and deletions", async () => {
    await write("steady", 8);
    expect((await expectSame()).broken).toEqual([]);
  });

  test("catches up on what it missed while its connection was cut", async () => {
    await proxy.cut();
    await write("cut", 5);
    await proxy.restore();
    expect((await expectSame()).broken).toEqual([]);
  });
});
