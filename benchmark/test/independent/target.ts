import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { nowMs } from "../../src/kernels/broadcast/clock.ts";
import { DIALECTS } from "../../src/targets/dialect.ts";
import { openFanfareSender } from "../../src/targets/fanfare/api.ts";
import type { TargetPlugin } from "../../src/targets/plugin.ts";

/** The file whose name is in the environment: what `compare.ts` has prepared. */
export interface Setup {
  ownerToken: string;
  channelId: string;
  /** Of the tester's members. */
  tokens: string[];
  /** The receiver, and the file with the tokens of its members. */
  receiver: string;
  receiverTokens: string;
  /** The server writes to its connections in the order they connected. */
  connectsFirst: "receiver" | "tester";
  /** The records of the run are written to this file. */
  records: string;
}

export interface Records {
  /** In the order of the messages, the instant before each was sent, and that of its acknowledgement. */
  sent: { content: string; atMs: number; ackMs: number }[];
  /** Printed by the receiver. */
  received: string;
}

/** Messages of a group of which some members belong to the independent receiver. */
const shared: TargetPlugin = {
  name: "shared",
  dialect: DIALECTS.fanfare,
  async open({ url }) {
    const setup = JSON.parse(readFileSync(process.env["SHARED_SETUP"]!, "utf8")) as Setup;
    const tokens = setup.tokens.values();
    const sent: Records["sent"] = [];
    const start = async () => {
      const process = spawn(setup.receiver, [new URL(url!).port, setup.receiverTokens], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      // An exit closes its output, too.
      await Promise.race([once(process.stdout, "readable"), once(process, "exit")]);
      if (process.stdout.read(6)?.toString() !== "ready\n") throw new Error("the receiver could not connect");
      return process;
    };
    let receiver = setup.connectsFirst === "receiver" ? await start() : undefined;
    return {
      urls: [url!],
      join: () => Promise.resolve(tokens.next().value!),
      async openSender() {
        receiver ??= await start();
        const sender = await openFanfareSender(url!, setup.ownerToken, setup.channelId);
        return {
          async send(content) {
            const message = { content, atMs: nowMs(), ackMs: 0 };
            sent.push(message);
            await sender.send(content);
            message.ackMs = nowMs();
          },
          close: () => sender.close(),
        };
      },
      async close() {
        if (receiver === undefined) return;
        receiver.stdin.end();
        const records: Records = { sent, received: await text(receiver.stdout) };
        receiver = undefined;
        writeFileSync(setup.records, JSON.stringify(records));
      },
    };
  },
};

export default shared;
