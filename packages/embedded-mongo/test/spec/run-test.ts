import type { MongoClient } from "mongodb";
import { Entities } from "./entities.ts";
import type { ExpectedEvents, ServerFacts, SpecificationFile, SpecificationTest } from "./format.ts";
import { match, Mismatch } from "./match.ts";
import { runOperation } from "./operations.ts";

const MAJORITY = { writeConcern: { w: "majority" } } as const;

/** Queries the properties of the server that tests can require. */
export async function factsAbout(client: MongoClient): Promise<ServerFacts> {
  const admin = client.db("admin");
  const [hello, { version }, parameters] = await Promise.all([
    admin.command({ hello: 1 }),
    admin.command({ buildInfo: 1 }),
    admin.command({ getParameter: "*" }),
  ]);
  return { version, topology: hello["setName"] === undefined ? "single" : "replicaset", parameters };
}

async function insertInitialData(
  internal: MongoClient,
  { initialData = [] }: SpecificationFile,
): Promise<void> {
  for (const { databaseName, collectionName, createOptions, documents } of initialData) {
    const db = internal.db(databaseName, MAJORITY);
    await db.dropCollection(collectionName);
    if (createOptions !== undefined || documents.length === 0)
      await db.createCollection(collectionName, createOptions);
    if (documents.length > 0)
      await db.collection(collectionName).insertMany(documents.map((document) => ({ ...document })));
  }
}

function checkEvents(expected: ExpectedEvents, entities: Entities): void {
  const { client, eventType = "command", events, ignoreExtraEvents = false } = expected;
  const seen = entities.events(client).filter(({ type }) => type === eventType);
  if (seen.length < events.length || (seen.length > events.length && !ignoreExtraEvents)) {
    const names = seen.map(({ name, details }) => `${name} ${details["commandName"] ?? ""}`);
    throw new Mismatch(`expected ${events.length} events, got ${names.join(", ") || "none"}`);
  }
  events.forEach((event, i) => {
    const [[name, details]] = Object.entries(event) as [[string, Record<string, unknown>]];
    match(name, seen[i]!.name, entities.find, true, `event ${i}`);
    const { hasServiceId: _, hasServerConnectionId: __, ...compared } = details;
    for (const [field, value] of Object.entries(compared))
      match(value, seen[i]!.details[field], entities.find, true, `event ${i}, ${field}`);
  });
}

async function checkOutcome(internal: MongoClient, { outcome = [] }: SpecificationTest): Promise<void> {
  for (const { databaseName, collectionName, documents } of outcome) {
    const found = await internal
      .db(databaseName)
      .collection(collectionName)
      .find()
      .sort({ _id: 1 })
      .toArray();
    const noEntity = () => undefined;
    match(documents.length, found.length, noEntity, false, "outcome, number of documents");
    documents.forEach((document, i) => match(document, found[i], noEntity, false, `outcome[${i}]`));
  }
}

/**
 * Runs a test of the unified test format.
 * @param internal a client that prepares the data and reads the outcome; its events aren't compared
 * @throws {Mismatch} and errors that the test doesn't expect
 */
export async function runTest(
  uri: string,
  internal: MongoClient,
  file: SpecificationFile,
  test: SpecificationTest,
): Promise<void> {
  if (!file.schemaVersion.startsWith("1."))
    throw new Error(`unknown test format version ${file.schemaVersion}`);
  const entities = new Entities(uri);
  try {
    await insertInitialData(internal, file);
    await entities.create(file.createEntities ?? []);
    for (const operation of test.operations) await runOperation(operation, entities, internal);
    for (const expected of test.expectEvents ?? []) checkEvents(expected, entities);
    await checkOutcome(internal, test);
  } finally {
    await internal
      .db("admin")
      .command({ configureFailPoint: "failCommand", mode: "off" })
      .catch(() => {});
    await entities.close();
  }
}
