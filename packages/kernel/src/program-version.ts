import program from "../../../package.json" with { type: "json" };

/** The version of the release. */
export const PROGRAM_VERSION = program.version;
