import { EJSON } from "bson";
import { ErrorCodes } from "../../src/errors.ts";
import type { PlainObject } from "../../src/values/types.ts";

interface Cursor {
  readonly firstBatch: PlainObject[];
}

/** mongo-java-server refuses `$addToSet` to what is no array with the code of MongoDB 3.4; later it is BadValue. */
const LOCATION_ADD_TO_SET = 10141;

function codeOf(error: PlainObject): number {
  const code = Number(error["code"]);
  return code === LOCATION_ADD_TO_SET ? ErrorCodes.BadValue : code;
}

/**
 * What two servers must agree about in a reply, as text: documents with their types and the order of their fields, counts,
 * error codes, but not messages nor the order of distinct values, which is not documented.
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
    // mongo-java-server counts the documents it was given, MongoDB those it inserted.
    ...(!("insert" in command && errors.length > 0) && { n: Number(reply["n"]) }),
    nModified: reply["nModified"],
    upserted: reply["upserted"],
    errors: errors.map((error) => [error["index"], codeOf(error)]),
  };
}
