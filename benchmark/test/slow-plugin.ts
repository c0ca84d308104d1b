import { nowMs } from "../src/kernels/broadcast/clock.ts";
import { bareSocketIo } from "../src/targets/bare/bare-target.ts";
import { DIALECTS } from "../src/targets/dialect.ts";
import type { TargetPlugin } from "../src/targets/plugin.ts";

const MS_PER_MESSAGE = 5;

/** Bare Socket.IO to members that decode messages so slowly that their thread determines the times. */
const slow: TargetPlugin = {
  ...bareSocketIo,
  name: "slow",
  dialect: {
    ...DIALECTS["socket.io"],
    read(event: string, payload: unknown) {
      const until = nowMs() + MS_PER_MESSAGE;
      while (nowMs() < until);
      return DIALECTS["socket.io"].read(event, payload);
    },
  },
};

export default slow;
