import type { Summary } from "./write-backup.ts";

export const documentsIn = ({ collections }: Summary): number =>
  Object.values(collections).reduce((sum, count) => sum + count, 0);
