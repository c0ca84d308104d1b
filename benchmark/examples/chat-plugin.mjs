// Tells the tester what chat-server.mjs expects and sends. `npm install socket.io-client` beside it.
import { io } from "socket.io-client";

/** @type {import("fanfare-bench").TargetPlugin} */
export default {
  name: "my chat",
  dialect: {
    transport: "socket.io",
    path: "/socket.io/",
    waitsForReady: false,
    read: (event, payload) =>
      event === "chat message"
        ? { kind: "messages", contents: [payload.text], revs: [0] }
        : { kind: "other" },
  },
  async open({ url }) {
    let users = 0;
    return {
      urls: [url],
      join: async () => `user-${++users}`,
      async openSender() {
        const socket = io(url, { transports: ["websocket"], auth: { token: "user-0" } });
        await new Promise((resolve, reject) => socket.on("connect", resolve).on("connect_error", reject));
        return {
          send: (text) => socket.timeout(10_000).emitWithAck("chat message", text),
          close: () => socket.disconnect(),
        };
      },
      close: async () => {},
    };
  },
};
