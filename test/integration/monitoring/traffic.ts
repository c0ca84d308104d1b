import { setTimeout as delay } from "node:timers/promises";
import { createAccount, createWorld, must, post } from "@fanfare/testing";
import { io, type Socket } from "socket.io-client";

/** Generates a little of everything the dashboards show, for some seconds. */
export async function makeTraffic(url: string, seconds: number): Promise<void> {
  const world = await createWorld(url);
  const account = await createAccount(url);
  const sockets: Socket[] = [];
  const connect = async (token: string): Promise<Socket> => {
    const socket = io(url, {
      transports: ["websocket"],
      auth: { token },
      forceNew: true,
      reconnection: false,
    });
    sockets.push(socket);
    await new Promise((resolve) => socket.once("ready", resolve));
    return socket;
  };
  const { channel, member } = world;
  const staying = await connect(world.owner.accessToken);
  try {
    for (let second = 0; second < seconds; second++) {
      const guest = await connect(member.accessToken);
      for (let i = 0; i < 5; i++) {
        const content = `message ${i}`;
        const nonce = `${second}-${i}`;
        await must(url, "message.send", { channelId: channel.id, content, nonce }, member.accessToken);
      }
      await staying.emitWithAck("user.me", {});
      await must(url, "user.login", { username: account.username, password: "correct horse" });
      await post(url, "user.login", { username: account.username, password: "wrong horse" });
      // The service rejects the muted member, the gateway the event without an acknowledgement.
      const refused = { channelId: channel.id, content: "x", nonce: `m-${second}` };
      await post(url, "message.send", refused, world.muted.accessToken);
      staying.emit("user.me", {});
      guest.disconnect();
      await delay(700);
    }
  } finally {
    for (const socket of sockets) socket.disconnect();
  }
}
