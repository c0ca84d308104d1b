import { nowMs } from "../src/measure/clock.ts";
import { bareSocketIo } from "../src/targets/bare/bare-target.ts";
import type { TargetPlugin } from "../src/targets/plugin.ts";

const MS_PER_MESSAGE = 5;

/** Bare Socket.IO to members who need so long to understand a message that it is their thread which makes the times. */
const slow: TargetPlugin = {
  ...bareSocketIo,
  name: "slow",
  dialect: {
    ...bareSocketIo.dialect,
    read(event, payload) {
      const until = nowMs() + MS_PER_MESSAGE;
      while (nowMs() < until);
      return bareSocketIo.dialect.read(event, payload);
    },
  },
};

export default slow;
