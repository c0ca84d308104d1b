import { setFlagsFromString } from "node:v8";
import "@fanfare/kernel/compile-cache";

// The heap may grow to 1.6 times its live size, not four times, before it is collected. `bench overload --reads` then takes 191
// MiB more than before the load instead of 258 (with 100), at the same number of messages a second (`--mixed`: 1,065 and 1,077 to
// 1,117).
setFlagsFromString("--heap-growing-percent=60");

// Imported now and not above, so that it is compiled only once.
const { runProgram } = await import("./run-program.ts");
await runProgram();
