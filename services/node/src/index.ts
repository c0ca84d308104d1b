export { runProgram } from "./run-program.ts";
export { type Fanfare, startFanfare, WORKER_FACTORIES } from "./start-fanfare.ts";
