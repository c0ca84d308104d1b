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

/** What an event says, in the format's words. */
export interface SeenEvent {
  readonly type: "command" | "cmap";
  readonly name: string;
  readonly details: Document;
}

const COMMAND_EVENTS = new Set(["commandStartedEvent", "commandSucceededEvent", "commandFailedEvent"]);

/** `readConcern`, `writeConcern` and `readPreference` as the driver takes them. */
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

/** The driver leaves passwords out of events, and all else of the command. */
const isRedacted = ({ command, reply }: Document): boolean =>
  [command, reply].some((content) => content !== undefined && Object.keys(content).length === 0);

function details(event: Document): Document {
  const { commandName, databaseName, command, reply, failure, reason, address } = event;
  return {
    commandName,
    // Only the event of the start carries the database.
    databaseName: databaseName ?? command?.["$db"],
    ...(command && { command: plain(command) }),
    ...(reply && { reply: plain(reply) }),
    ...(failure && { failure }),
    reason,
    address,
  };
}

/** The entities of one test, by their names. Closes the clients and sessions. */
export class Entities {
  readonly #uri: string;
  readonly #byName = new Map<string, unknown>();
  readonly #events = new Map<string, SeenEvent[]>();
  readonly #checkedOut = new Map<string, number>();

  constructor(uri: string) {
    this.#uri = uri;
  }

  /** @throws {Error} for a name that no entity has */
  readonly find = (name: string): unknown => {
    if (!this.#byName.has(name)) throw new Error(`there is no entity ${name}`);
    return this.#byName.get(name);
  };

  #get<T>(name: string, type: abstract new (...parameters: never[]) => T): T {
    const entity = this.find(name);
    if (!(entity instanceof type)) throw new Error(`entity ${name} is no ${type.name}`);
    return entity;
  }

  client = (name: string): MongoClient => this.#get(name, MongoClient);
  db = (name: string): Db => this.#get(name, Db);
  collection = (name: string): Collection => this.#get(name, Collection);
  session = (name: string): ClientSession => this.#get(name, ClientSession);
  bucket = (name: string): GridFSBucket => this.#get(name, GridFSBucket);

  events = (client: string): readonly SeenEvent[] => this.#events.get(client) ?? [];

  /** Connections that the client uses at the moment. */
  checkedOut = (client: string): number => this.#checkedOut.get(client) ?? 0;

  set(name: string, entity: unknown): void {
    if (this.#byName.has(name)) throw new Error(`there are two entities ${name}`);
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
    // The driver's own tests set these, too. Without the first one, the tests of retries take two minutes.
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
