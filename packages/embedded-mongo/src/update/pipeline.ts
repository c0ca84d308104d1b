import { Aggregator } from "mingo";
import { commandVariables } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { restoreTypes, toPlain } from "../values/plain.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import type { Updater } from "./compile.ts";

const STAGES = new Set(["$set", "$addFields", "$unset", "$project", "$replaceRoot", "$replaceWith"]);

/** An update in the form of aggregation stages. */
export function compilePipelineUpdate(stages: readonly unknown[]): Updater {
  for (const stage of stages) {
    const name = isObject(stage) ? Object.keys(stage)[0] : undefined;
    if (name === undefined || !STAGES.has(name)) {
      throw new CommandError(
        "InvalidOptions",
        `${name ?? "This"} is not allowed to be used within an update`,
      );
    }
  }
  const aggregator = new Aggregator(toPlain(stages) as PlainObject[], {
    scriptEnabled: false,
    variables: commandVariables(),
  });
  return (document) => {
    try {
      const [result] = aggregator.run([toPlain(document) as PlainObject]);
      return restoreTypes(result ?? {}, document) as PlainObject;
    } catch (error) {
      throw new CommandError("Location40324", (error as Error).message);
    }
  };
}
