import { EJSON } from "bson";
import { ErrorCodes } from "../../src/errors.ts";
import type { PlainObject } from "../../src/values/types.ts";

interface Cursor {
  readonly firstBatch: PlainObject[];
}

/** mongo-java-server rejects `$addToSet` on values that aren't arrays with the code of MongoDB 3.4; newer versions return BadValue. */
const LOCATION_ADD_TO_SET = 10141;

function codeOf(error: PlainObject): number {
  const code = Number(error["code"]);
  return code === LOCATION_ADD_TO_SET ? ErrorCodes.BadValue : code;
}

/**
 * The parts of a reply that must be the same on both servers, as text: documents with types and field order, counts and error codes,
 * but not messages or the order of distinct values, which is undocumented.
 */
export function answerOf(command: PlainObject, reply: PlainObject): string {
  return EJSON.stringify(essence(command, reply), { relaxed: false });
}

function essence(command: PlainObject, reply: PlainObject): unknown {
  if (Number(reply["ok"]) !== 1) return { code: codeOf(reply) };
  if ("find" in command) return (reply["cursor"] as Cursor).firstBatch;
  if ("findAndModify" in command) return { value: reply["value"] ?? null };
  if ("distinct" in command) {
    const values = (reply["values"] as unknown[]).map((value) => EJSON.stringify(value, { relaxed: false }));
    return values.sort((a, b) => (a < b ? -1 : 1));
  }
  const errors = (reply["writeErrors"] as PlainObject[] | undefined) ?? [];
  return {
    // mongo-java-server counts the given documents, MongoDB the inserted ones.
    ...(!("insert" in command && errors.length > 0) && { n: Number(reply["n"]) }),
    nModified: reply["nModified"],
    upserted: reply["upserted"],
    errors: errors.map((error) => [error["index"], codeOf(error)]),
  };
}
