import { PAUSE } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { type AccessPath, accessPath, isSorted, select, type Selection } from "../query/select.ts";
import { parseSort } from "../query/sort.ts";
import type { Collection } from "../storage/collection.ts";
import type { PlainObject } from "../values/types.ts";
import { isObject } from "../values/types.ts";
import { objectField, queryOptions, type Handler } from "./context.ts";
import { integerOption } from "../values/numbers.ts";

function access(path: AccessPath): PlainObject {
  switch (path.kind) {
    case "id":
      return { stage: "IDHACK", indexName: "_id_", keyPattern: { _id: 1 } };
    case "index":
      return {
        stage: "FETCH",
        inputStage: {
          stage: "IXSCAN",
          indexName: path.plan.index.spec.name,
          keyPattern: path.plan.index.spec.definition["key"],
          isMultiKey: path.plan.index.multikey,
          direction: path.plan.backwards ? "backward" : "forward",
          ranges: path.plan.ranges.length,
          filterNeeded: !path.plan.covered,
        },
      };
    case "union":
      return { stage: "OR", inputStages: path.plans.map(access) };
    case "text":
      return { stage: "TEXT_MATCH" };
    default:
      return { stage: "COLLSCAN", direction: "forward" };
  }
}

/** Extracts the query of the command to explain. */
function queryOf(explained: PlainObject, collection: Collection | undefined): Selection {
  if ("pipeline" in explained && Array.isArray(explained["pipeline"])) {
    const [first, second] = explained["pipeline"] as PlainObject[];
    const match = first?.["$match"];
    return {
      filter: isObject(match) ? match : {},
      sort: (match === undefined ? first : second)?.["$sort"],
      ...queryOptions(explained, collection),
    };
  }
  for (const list of ["updates", "deletes"]) {
    const statements = explained[list];
    if (Array.isArray(statements) && isObject(statements[0])) {
      const { sort } = statements[0];
      return { filter: objectField(statements[0], "q"), sort, ...queryOptions(statements[0], collection) };
    }
  }
  const filter =
    explained["filter"] === undefined ? objectField(explained, "query") : objectField(explained, "filter");
  const { sort, limit } = explained;
  return { filter, sort, ...queryOptions(explained, collection), limit: integerOption(limit, "limit", 0) };
}

export const explain: Handler = function* (command, { catalog, db }) {
  const explained = objectField(command, "explain");
  const [name] = Object.keys(explained);
  const collection = catalog.find(db, String(explained[name!]));
  const selection = queryOf(explained, collection);
  const { filter, sort } = selection;
  if (!collection) return { queryPlanner: { winningPlan: { stage: "EOF" }, rejectedPlans: [] } };
  const fields = parseSort(sort);
  const path = accessPath(collection, filter, fields, selection);
  const isKnown = name === "count" && path.kind === "scan" && Object.keys(filter).length === 0;
  const input = isKnown ? { stage: "RECORD_STORE_FAST_COUNT" } : access(path);
  const ordered = !fields || isSorted(path, selection.collation);
  if (!["find", "aggregate", "count", "distinct", "update", "delete", "findAndModify"].includes(name!)) {
    throw new CommandError("CommandNotFound", `Explain failed due to unknown command: ${name}`);
  }
  const planned = {
    queryPlanner: {
      namespace: collection.namespace,
      winningPlan: ordered ? input : { stage: "SORT", inputStage: input },
      rejectedPlans: [],
    },
  };
  if (command["verbosity"] === "queryPlanner") return planned;
  let nReturned = 0;
  for (const record of select(collection, selection).records) {
    if (record === PAUSE) yield PAUSE;
    else nReturned++;
  }
  return { ...planned, executionStats: { executionSuccess: true, nReturned } };
};
