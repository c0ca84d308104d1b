import { defineRepository } from "@fanfare/kernel";
import { PLUGIN_LIMITS } from "@fanfare/plugins";
import { Schema } from "mongoose";

export interface ValueDocument {
  _id: string;
  plugin: string;
  key: string;
  /** JSON, because keys within it can be anything. */
  value: string;
}

const schema = new Schema<ValueDocument>(
  {
    plugin: { type: String, required: true },
    key: { type: String, required: true },
    value: { type: String, required: true },
  },
  { collection: "pluginValues" },
);
schema.index({ plugin: 1, key: 1 }, { unique: true });

export type ValueRepository = ReturnType<typeof createValueRepository>;

/** Greater than every other character of a key. */
const LAST = "\u{10ffff}";

/** Every query of the collection pluginValues: what plug-ins store. */
export const createValueRepository = defineRepository(
  { name: "PluginValue", schema },
  ({ model: values, remove, removeAll }) => ({
    async get(plugin: string, key: string): Promise<string | null> {
      return (await values.findOne({ plugin, key }).lean())?.value ?? null;
    },

    /** @returns false if there would be too many */
    async set(plugin: string, key: string, value: string): Promise<boolean> {
      const changed = await values.updateOne({ plugin, key }, { $set: { value } });
      if (changed.matchedCount > 0) return true;
      const max = PLUGIN_LIMITS.valuesPerPlugin;
      if ((await values.countDocuments({ plugin }, { limit: max })) >= max) return false;
      await values.updateOne({ plugin, key }, { $set: { value } }, { upsert: true });
      return true;
    },

    remove: (plugin: string, key: string) => remove({ plugin, key }),

    removeOf: (plugin: string) => removeAll({ plugin }),

    /** The number of values of each plug-in, also of removed ones. */
    async count(): Promise<{ plugin: string; values: number }[]> {
      const counts = [];
      for (let last = ""; ;) {
        const next = await values
          .findOne({ plugin: { $gt: last } })
          .sort({ plugin: 1, key: 1 })
          .lean();
        if (next === null) return counts;
        last = next.plugin;
        counts.push({ plugin: last, values: await values.countDocuments({ plugin: last }) });
      }
    },

    /**
     * By key. Only an empty page is the end, because one message to the plug-in has a limited size.
     * @param after the last key of the page before
     */
    async list(plugin: string, prefix: string, after?: string) {
      const found = values
        .find({
          plugin,
          key: { ...(after === undefined ? { $gte: prefix } : { $gt: after }), $lt: `${prefix}${LAST}` },
        })
        .sort({ plugin: 1, key: 1 })
        .limit(PLUGIN_LIMITS.valuesPerPage)
        .lean()
        .cursor({ batchSize: 100 });
      const page: { key: string; value: string }[] = [];
      let chars = 0;
      for await (const { key, value } of found) {
        chars += value.length;
        if (page.length > 0 && chars > PLUGIN_LIMITS.pageMaxChars) break;
        page.push({ key, value });
      }
      return page;
    },
  }),
);
