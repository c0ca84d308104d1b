import { nowMs } from "../src/kernels/broadcast/clock.ts";
import { bareSocketIo } from "../src/targets/bare/bare-target.ts";
import type { TargetPlugin } from "../src/targets/plugin.ts";

const MS_PER_MESSAGE = 5;

/** Bare Socket.IO to members that decode messages so slowly that their thread determines the times. */
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
