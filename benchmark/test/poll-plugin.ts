import type { TargetPlugin } from "../src/targets/plugin.ts";
import { openStrictServer } from "./strict-plugin.ts";

const poll: TargetPlugin = {
  name: "poll",
  dialect: {
    transport: "long-poll",
    path: "/events",
    hello: (token) => ({ path: "", headers: { authorization: `Bearer ${token}` } }),
    read(body, token) {
      const { texts, next } = JSON.parse(body) as { texts: string[]; next: number };
      const request = { path: `?after=${next}`, headers: { authorization: `Bearer ${token}` } };
      return [
        { kind: "ready" },
        { kind: "messages", contents: texts, revs: texts.map(() => 0) },
        { kind: "poll", request },
      ];
    },
  },
  open: openStrictServer,
};

export default poll;
