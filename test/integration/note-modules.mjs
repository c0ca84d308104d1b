import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

// With `node --import`: writes down where every module comes from that the program loads, in any of its threads.
registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(process.env.NOTE_MODULES_IN, `${url}\n`);
    return nextLoad(url, context);
  },
});
