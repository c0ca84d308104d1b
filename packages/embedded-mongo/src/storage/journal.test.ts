import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JournalFailedError } from "../errors.ts";
import { Journal } from "./journal.ts";

const isOpenOn = (fd: number, inode: number): boolean => {
  try {
    return fs.fstatSync(fd).ino === inode;
  } catch {
    return false;
  }
};

describe("Journal", () => {
  let dir: string;
  let failures: Error[];
  beforeEach(() => {
    dir = fs.mkdtempSync(path.join(os.tmpdir(), "fanfare-journal-"));
    failures = [];
  });
  afterEach(() => fs.rmSync(dir, { recursive: true }));

  const create = () => Journal.create(dir, 1, (error) => failures.push(error));
  const size = (sequence: number) => fs.statSync(path.join(dir, `journal-${sequence}.log`)).size;

  it("writes at a flush, not before", async () => {
    const journal = create();
    const before = size(1);
    journal.append(Buffer.from("operation"));
    expect(size(1)).toBe(before);
    journal.flush();
    expect(size(1)).toBeGreaterThan(before);
    expect(journal.length).toBe(size(1));
    await journal.close();
  });

  it("shares a sync among all who wait", async () => {
    const journal = create();
    const waiting = Array.from({ length: 50 }, () => {
      journal.append(Buffer.from("operation"));
      return journal.sync();
    });
    await Promise.all(waiting);
    await journal.close();
    expect(failures).toEqual([]);
  });

  it("goes on in the next file after a rotation, also while a sync runs", async () => {
    const journal = create();
    journal.append(Buffer.from("one"));
    const synced = journal.sync();
    journal.rotate();
    journal.append(Buffer.from("two"));
    await Promise.all([synced, journal.sync()]);
    expect(journal.sequence).toBe(2);
    expect(size(2)).toBe(journal.length);
    await journal.close();
  });

  it("after a failed write acknowledges nothing any more, and says so once", async () => {
    const journal = create();
    const file = fs.statSync(path.join(dir, "journal-1.log"));
    const handles = Array.from({ length: 1_000 }, (_, fd) => fd).filter((fd) => isOpenOn(fd, file.ino));
    for (const fd of handles) fs.closeSync(fd);
    journal.append(Buffer.from("operation"));
    await expect(journal.sync()).rejects.toBeInstanceOf(JournalFailedError);
    await expect(journal.sync()).rejects.toBeInstanceOf(JournalFailedError);
    expect(failures).toHaveLength(1);
  });
});
