import fs from "node:fs";
import path from "node:path";
import { EJSON } from "bson";
import type { Document } from "mongodb";

/** https://github.com/mongodb/specifications/blob/master/source/unified-test-format/unified-test-format.md */
export interface SpecificationFile {
  readonly description: string;
  readonly schemaVersion: string;
  readonly runOnRequirements?: readonly Requirement[];
  readonly createEntities?: readonly Document[];
  readonly initialData?: readonly {
    collectionName: string;
    databaseName: string;
    createOptions?: Document;
    documents: Document[];
  }[];
  readonly tests: readonly SpecificationTest[];
}

export interface SpecificationTest {
  readonly description: string;
  readonly runOnRequirements?: readonly Requirement[];
  readonly skipReason?: string;
  readonly operations: readonly Operation[];
  readonly expectEvents?: readonly ExpectedEvents[];
  readonly outcome?: readonly { collectionName: string; databaseName: string; documents: Document[] }[];
}

export interface Operation {
  readonly name: string;
  readonly object: string;
  readonly arguments?: Document;
  readonly ignoreResultAndError?: boolean;
  readonly expectError?: Document;
  readonly expectResult?: unknown;
  readonly saveResultAsEntity?: string;
}

export interface ExpectedEvents {
  readonly client: string;
  readonly eventType?: "command" | "cmap" | "sdam";
  readonly events: readonly Document[];
  readonly ignoreExtraEvents?: boolean;
}

interface Requirement {
  readonly minServerVersion?: string;
  readonly maxServerVersion?: string;
  readonly topologies?: readonly string[];
  readonly serverless?: "require" | "forbid" | "allow";
  readonly serverParameters?: Document;
  readonly auth?: boolean;
  readonly csfle?: unknown;
}

/** Properties of the server under test. */
export interface ServerFacts {
  readonly version: string;
  readonly topology: "single" | "replicaset";
  readonly parameters: Document;
}

/** The test files of a folder by name. */
export function readSpecifications(folder: string): Map<string, SpecificationFile> {
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(".json"));
  const files = names.sort().map((name): [string, SpecificationFile] => {
    const text = fs.readFileSync(path.join(folder, name), "utf8");
    return [name.slice(0, -".json".length), EJSON.parse(text) as SpecificationFile];
  });
  return new Map(files.filter(([, file]) => file.schemaVersion !== undefined));
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (left![i] ?? 0) - (right![i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const isMet = (requirement: Requirement, server: ServerFacts): boolean =>
  compareVersions(server.version, requirement.minServerVersion ?? server.version) >= 0 &&
  compareVersions(server.version, requirement.maxServerVersion ?? server.version) <= 0 &&
  (requirement.topologies?.includes(server.topology) ?? true) &&
  requirement.serverless !== "require" &&
  requirement.auth !== true &&
  // Client-side encryption needs a library that isn't installed.
  !requirement.csfle &&
  Object.entries(requirement.serverParameters ?? {}).every(
    ([name, value]) => server.parameters[name] === value,
  );

/** Whether a test applies to this server. */
export function isMeantFor(server: ServerFacts, file: SpecificationFile, test: SpecificationTest): boolean {
  const lists = [file.runOnRequirements, test.runOnRequirements];
  return (
    test.skipReason === undefined &&
    lists.every((list) => list?.some((requirement) => isMet(requirement, server)) ?? true)
  );
}
