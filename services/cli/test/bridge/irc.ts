import { mkdtemp, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort, ServerProcess } from "@fanfare/testing";
import type { FakeMatterbridge, Message } from "./fake-matterbridge.ts";

/** Starts a real IRC server. */
export async function startIrcServer(): Promise<ServerProcess> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "fanfare-irc-"));
  const file = join(folder, "ngircd.conf");
  const config = [
    "[Global]",
    "Name = irc.test.local",
    "Info = Test",
    "AdminEMail = admin@test.local",
    "MotdPhrase = Hello",
    "Listen = 127.0.0.1",
    `Ports = ${port}`,
    "[Limits]",
    "MaxConnectionsIP = 0",
    "MaxPenaltyTime = 0",
    "[Options]",
    "DNS = no",
    "Ident = no",
    "PAM = no",
  ];
  await writeFile(file, `${config.join("\n")}\n`);
  const server = new ServerProcess({
    name: "ngircd",
    command: "ngircd",
    args: ["--nodaemon", "--config", file],
    env: { PATH: `${process.env["PATH"]}:/usr/sbin` },
    folder,
    temporary: true,
    port,
    url: `irc://127.0.0.1:${port}`,
    isReady: () =>
      new Promise((resolve, reject) => {
        const socket = connect(port, "127.0.0.1", () => resolve(true)).once("error", reject);
        socket.once("connect", () => socket.destroy());
      }),
  });
  await server.start();
  return server;
}

export interface IrcMessage {
  nick: string;
  text: string;
}

/** A user of a channel. */
export class IrcClient {
  readonly #socket: Socket;
  readonly #channel: string;
  /** What others wrote. */
  readonly received: IrcMessage[] = [];
  onMessage: (message: IrcMessage) => void = () => undefined;

  private constructor(port: number, channel: string) {
    this.#channel = channel;
    this.#socket = connect(port, "127.0.0.1");
  }

  /** Resolves when the user is in the channel. */
  static async join(port: number, nick: string, channel: string): Promise<IrcClient> {
    const client = new IrcClient(port, channel);
    await new Promise<void>((resolve, reject) => {
      client.#socket.once("error", reject);
      createInterface(client.#socket).on("line", (line) => client.#read(line, resolve));
      client.#write(`NICK ${nick}`, `USER ${nick} 0 * :${nick}`);
    });
    return client;
  }

  say(text: string): void {
    this.#write(`PRIVMSG ${this.#channel} :${text}`);
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(line: string, onJoined: () => void): void {
    const [, nick = "", command = "", rest = ""] = /^(?::([^ !]+)\S* )?(\S+) ?(.*)$/.exec(line) ?? [];
    if (command === "PING") this.#write(`PONG ${rest}`);
    else if (command === "001") this.#write(`JOIN ${this.#channel}`);
    // The end of the list of users.
    else if (command === "366") onJoined();
    else if (command === "PRIVMSG") {
      const message = { nick, text: rest.slice(rest.indexOf(":") + 1) };
      this.received.push(message);
      this.onMessage(message);
    }
  }

  #write(...lines: readonly string[]): void {
    for (const line of lines) this.#socket.write(`${line}\r\n`);
  }
}

const ACTION = /^\p{Cc}ACTION (.*)\p{Cc}$/u;

/** Connects a fake Matterbridge with a channel, as `bridge/irc` does with `RemoteNickFormat = "<{NICK}> "`. */
export async function connectIrc(
  matterbridge: FakeMatterbridge,
  port: number,
  channel: string,
): Promise<IrcClient> {
  const client = await IrcClient.join(port, "matterbot", channel);
  client.onMessage = ({ nick: username, text }) => {
    const [, action] = ACTION.exec(text) ?? [];
    const message: Partial<Message> = { username, text, channel };
    matterbridge.write(action === undefined ? message : { ...message, text: action, event: "user_action" });
  };
  matterbridge.onReceived = ({ nick, text }) => {
    for (const line of text.trim().split("\n")) if (line !== "") client.say(`<${nick}> ${line}`);
  };
  return client;
}
