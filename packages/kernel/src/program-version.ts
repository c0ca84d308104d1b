import program from "../../../package.json" with { type: "json" };

/** Of the program as a whole: what a release is called. */
export const PROGRAM_VERSION = program.version;
