export { runProgram } from "./run-program.ts";
export { startFanfare, type Fanfare } from "./start-fanfare.ts";
export { WORKER_FACTORIES } from "./start-fanfare.ts";
