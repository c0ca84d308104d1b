#!/usr/bin/env node
// The tester is imported only here, so that an older Node says what is missing instead of failing at its first import.
const { node } = process.versions;
if (Number(node.split(".")[0]) < 22) {
  console.error(`fanfare-bench needs Node 22 or newer. This is Node ${node}.`);
  process.exit(64);
}
void import("../src/main.ts");
