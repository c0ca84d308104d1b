import { Aggregator } from "mingo/aggregator";
import { CommandError } from "../errors.ts";
import { mingoOptions } from "../expression/context.ts";
import type { Collation } from "../values/collation.ts";
import { toComputed } from "../values/plain.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import type { Updater } from "./compile.ts";

const STAGES = new Set(["$set", "$addFields", "$unset", "$project", "$replaceRoot", "$replaceWith"]);

/** Compiles an update that is an aggregation pipeline. */
export function compilePipelineUpdate(stages: readonly unknown[], collation?: Collation): Updater {
  for (const stage of stages) {
    const name = isObject(stage) ? Object.keys(stage)[0] : undefined;
    if (name === undefined || !STAGES.has(name)) {
      throw new CommandError(
        "InvalidOptions",
        `${name ?? "This"} is not allowed to be used within an update`,
      );
    }
  }
  const aggregator = new Aggregator(toComputed(stages) as PlainObject[], mingoOptions({ collation }));
  return (document) => {
    try {
      const [result] = aggregator.run<PlainObject>([toComputed(document)]);
      return result ?? {};
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError("Location40324", (error as Error).message);
    }
  };
}
