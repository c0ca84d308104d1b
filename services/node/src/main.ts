import "@fanfare/kernel/compile-cache";

// Imported now and not above, so that it is compiled only once.
const { runProgram } = await import("./run-program.ts");
await runProgram();
