import {
  ClientSession,
  Collection,
  Db,
  type Document,
  GridFSBucket,
  MongoClient,
  ReadConcern,
  ReadPreference,
  WriteConcern,
} from "mongodb";
import { plain } from "./match.ts";

/** An event in the terms of the test format. */
export interface SeenEvent {
  readonly type: "command" | "cmap";
  readonly name: string;
  readonly details: Document;
}

const COMMAND_EVENTS = new Set(["commandStartedEvent", "commandSucceededEvent", "commandFailedEvent"]);

/** Converts `readConcern`, `writeConcern` and `readPreference` for the driver. */
export function driverOptions(options: Document = {}): Document {
  const { readConcern, writeConcern, readPreference, defaultTransactionOptions, ...rest } = options;
  return {
    ...rest,
    ...(readConcern && { readConcern: ReadConcern.fromOptions({ readConcern }) }),
    ...(writeConcern && { writeConcern: WriteConcern.fromOptions({ writeConcern }) }),
    ...(readPreference && {
      readPreference: new ReadPreference(readPreference.mode, readPreference.tagSets, {
        maxStalenessSeconds: readPreference.maxStalenessSeconds,
      }),
    }),
    ...(defaultTransactionOptions && { defaultTransactionOptions: driverOptions(defaultTransactionOptions) }),
  };
}

/** For sensitive commands, the driver's events have no content. */
const isRedacted = ({ command, reply }: Document): boolean =>
  [command, reply].some((content) => content !== undefined && Object.keys(content).length === 0);

function details(event: Document): Document {
  const { commandName, databaseName, command, reply, failure, reason, address } = event;
  return {
    commandName,
    // Only the started event has the database name.
    databaseName: databaseName ?? command?.["$db"],
    ...(command && { command: plain(command) }),
    ...(reply && { reply: plain(reply) }),
    ...(failure && { failure }),
    reason,
    address,
  };
}

/** The entities of a test by name. Closes the clients and sessions. */
export class Entities {
  readonly #uri: string;
  readonly #byName = new Map<string, unknown>();
  readonly #events = new Map<string, SeenEvent[]>();
  readonly #checkedOut = new Map<string, number>();

  constructor(uri: string) {
    this.#uri = uri;
  }

  /** @throws {Error} if there is no such entity */
  readonly find = (name: string): unknown => {
    if (!this.#byName.has(name)) throw new Error(`no such entity: ${name}`);
    return this.#byName.get(name);
  };

  #get<T>(name: string, type: abstract new (...parameters: never[]) => T): T {
    const entity = this.find(name);
    if (!(entity instanceof type)) throw new Error(`entity ${name} is not a ${type.name}`);
    return entity;
  }

  client = (name: string): MongoClient => this.#get(name, MongoClient);
  db = (name: string): Db => this.#get(name, Db);
  collection = (name: string): Collection => this.#get(name, Collection);
  session = (name: string): ClientSession => this.#get(name, ClientSession);
  bucket = (name: string): GridFSBucket => this.#get(name, GridFSBucket);

  events = (client: string): readonly SeenEvent[] => this.#events.get(client) ?? [];

  /** The number of connections in use by the client. */
  checkedOut = (client: string): number => this.#checkedOut.get(client) ?? 0;

  set(name: string, entity: unknown): void {
    if (this.#byName.has(name)) throw new Error(`duplicate entity ${name}`);
    this.#byName.set(name, entity);
  }

  async create(descriptions: readonly Document[]): Promise<void> {
    for (const description of descriptions) {
      const [[type, options]] = Object.entries(description) as [[string, Document]];
      this.set(options["id"], await this.#create(type, options));
    }
  }

  async #create(type: string, options: Document): Promise<unknown> {
    switch (type) {
      case "client":
        return this.#connect(options);
      case "database":
        return this.client(options["client"]).db(
          options["databaseName"],
          driverOptions(options["databaseOptions"]),
        );
      case "collection": {
        const { database, collectionName, collectionOptions } = options;
        return this.db(database).collection(collectionName, driverOptions(collectionOptions));
      }
      case "session":
        return this.client(options["client"]).startSession(driverOptions(options["sessionOptions"]));
      case "bucket":
        return new GridFSBucket(this.db(options["database"]), driverOptions(options["bucketOptions"]));
      default:
        throw new Error(`unknown type of entity ${type}`);
    }
  }

  async #connect({ id, uriOptions = {}, observeEvents = [], ...options }: Document): Promise<MongoClient> {
    const { ignoreCommandMonitoringEvents = [], observeSensitiveCommands = false, serverApi } = options;
    const uri = new URL(this.#uri);
    for (const [name, value] of Object.entries(uriOptions)) uri.searchParams.set(name, String(value));
    // As in the driver's own tests. Without the first one, the tests of retries take two minutes.
    const hidden: Document = { minHeartbeatFrequencyMS: 20, __skipPingOnConnect: true };
    const client = new MongoClient(uri.href, {
      monitorCommands: true,
      ...(serverApi && { serverApi }),
      ...hidden,
    });
    const ignored = new Set(["configureFailPoint", ...ignoreCommandMonitoringEvents]);
    const seen: SeenEvent[] = [];
    this.#events.set(id, seen);
    for (const name of observeEvents as string[]) {
      const type = COMMAND_EVENTS.has(name) ? "command" : "cmap";
      const driverName = name.replace(/^pool/, "connectionPool").replace(/Event$/, "");
      client.on(driverName as "commandStarted", (event: Document) => {
        if (ignored.has(event["commandName"]) || (!observeSensitiveCommands && isRedacted(event))) return;
        seen.push({ type, name, details: details(event) });
      });
    }
    client.on("connectionCheckedOut", () => this.#checkedOut.set(id, this.checkedOut(id) + 1));
    client.on("connectionCheckedIn", () => this.#checkedOut.set(id, this.checkedOut(id) - 1));
    return client.connect();
  }

  async close(): Promise<void> {
    const entities = [...this.#byName.values()].toReversed();
    for (const entity of entities) if (entity instanceof ClientSession) await entity.endSession();
    for (const entity of entities) if (entity instanceof MongoClient) await entity.close();
  }
}
