import { setFlagsFromString } from "node:v8";
import "@fanfare/kernel/compile-cache";

// The heap may grow to twice its live size, not four times, before it is collected. Costs no measurable CPU and, under
// `bench overload --mixed`, takes 250 to 310 MiB more than before the load instead of 390 to 670.
setFlagsFromString("--heap-growing-percent=100");

// Imported now and not above, so that it is compiled only once.
const { runProgram } = await import("./run-program.ts");
await runProgram();
