import { buildGroupScene, type GroupSize } from "../load/group-scene.ts";
import type { LoadContext } from "../load/load-context.ts";
import type { LoadMeasurement } from "../load/load-result.ts";
import { measureSends } from "../load/send-run.ts";
import type { Api } from "../targets/fanfare/api.ts";

/** Creates the groups, measures, and removes them if the server is not the run's own. */
export async function measureGroups(
  context: LoadContext,
  api: Api,
  size: GroupSize,
): Promise<LoadMeasurement> {
  const { plan, progress, signal, target } = context;
  const scene = await buildGroupScene({ api, concurrency: plan.window, progress, signal }, size);
  try {
    return await measureSends(context, scene, api);
  } finally {
    if (!target.isThrowaway) {
      await scene.remove().catch((error: Error) => {
        process.stderr.write(`Could not delete the run's groups (${error.message}).\n`);
      });
    }
  }
}
