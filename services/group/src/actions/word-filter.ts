import type { WordFilter } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";

const NO_FILTER: WordFilter = { words: [], onHit: "block" };

const load = async ({ wordFilters }: Pick<GroupDependencies, "wordFilters">, groupId: string) => {
  const found = await wordFilters.find(groupId);
  const { words, onHit } = found ?? NO_FILTER;
  return { wordFilter: { words, onHit }, rev: found?.rev ?? 0 };
};

export function getWordFilter(dependencies: GroupDependencies): Handler<"group.getWordFilter"> {
  return async ({ params: { groupId } }) => ({ wordFilter: (await load(dependencies, groupId)).wordFilter });
}

export function readWordFilter(dependencies: GroupDependencies): Handler<"group.readWordFilter"> {
  return ({ params: { groupId } }) => load(dependencies, groupId);
}

/** In force everywhere with the next message: who may do what, which the rev is part of, is looked up anew. */
export function setWordFilter(dependencies: GroupDependencies): Handler<"group.setWordFilter"> {
  const { groups, wordFilters, membership, audit } = dependencies;
  return async ({ params: { groupId, words, onHit }, actor: { userId } }) => {
    const before = (await load(dependencies, groupId)).wordFilter;
    const wordFilter = { words: [...new Set(words)], onHit };
    const { rev } = await wordFilters.put(groupId, wordFilter);
    await groups.setWordFilterRev(groupId, rev, wordFilter.words.length > 0);
    membership.forget(groupId, null);
    await audit(groupId, userId, "group.setWordFilter", { before: { ...before }, after: { ...wordFilter } });
    return { wordFilter };
  };
}
