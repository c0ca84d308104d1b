import "@fanfare/kernel/compile-cache";

// Imported dynamically so that it is compiled only once.
const { runProgram } = await import("./run-program.ts");
await runProgram();
