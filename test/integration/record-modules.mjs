import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

// With `node --import`: records the URL of every module the program loads, in any thread.
registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(process.env.MODULES_FILE, `${url}\n`);
    return nextLoad(url, context);
  },
});
