import type { TargetPlugin } from "fanfare-bench";

/** Murmur, an imaginary chat server: users and messages over HTTP, new messages over a WebSocket. */
const murmur: TargetPlugin = {
  name: "murmur",
  dialect: {
    transport: "websocket",
    path: "/live",
    hello: (token) => JSON.stringify({ type: "hello", token }),
    waitsForReady: true,
    read(frame) {
      const event = JSON.parse(String(frame)) as { type: string; text: string };
      if (event.type === "welcome") return { kind: "ready" };
      if (event.type === "ping") return { kind: "send", frame: `{"type":"pong"}` };
      if (event.type === "message") return { kind: "messages", contents: [event.text], revs: [0] };
      return { kind: "other" };
    },
  },
  async open({ url, onError }) {
    if (url === undefined) throw new Error("set the address of the server with --url");
    const post = async (path: string, body: object) => {
      const response = await fetch(new URL(path, url), { method: "POST", body: JSON.stringify(body) });
      if (!response.ok) onError(`HTTP_${response.status}`);
      if (!response.ok) throw new Error(`${path}: HTTP ${response.status}`);
      return (await response.json()) as { token: string; id: string };
    };
    const sender = await post("/users", {});
    const room = await post("/rooms", { token: sender.token });
    return {
      urls: [url],
      join: async () => (await post("/users", { room: room.id })).token,
      openSender: async () => ({
        send: async (text) => void (await post("/messages", { token: sender.token, room: room.id, text })),
        close: () => {},
      }),
      close: async () => {},
    };
  },
};

export default murmur;
