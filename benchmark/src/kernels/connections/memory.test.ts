import { expect, test } from "vitest";
import { grownObjects, slabObjects } from "./memory.ts";

const SLABINFO = `slabinfo - version: 2.1
# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>
TCP                  789   1001   2368   13    8 : tunables    0    0    0 : slabdata     77     80      0
filp                3507   3738    192   21    1 : tunables    0    0    0 : slabdata    178    178      0
bdev_cache             0      0    800   20    4 : tunables    0    0    0 : slabdata      0      0      0
`;

test("a cache's size includes its empty slabs", () => {
  expect(slabObjects(SLABINFO)).toEqual({ TCP: 80 * 8 * 4096, filp: 178 * 4096 });
});

test("objects are sorted by growth, without those that shrank", () => {
  expect(grownObjects({ a: 10, b: 10, c: 10 }, { a: 11, b: 9, c: 30, d: 5 }, 2)).toEqual([
    { name: "c", bytes: 20 },
    { name: "d", bytes: 5 },
  ]);
});
