import mongoose from "mongoose";
import { migrate } from "../../src/migrations/migrate.ts";
import { RecordedReport, optionsOf } from "./database.ts";
import { slowMigration } from "./slow-migration.ts";

const [uri, dbName, holder, batches] = process.argv.slice(2);
const connection = await mongoose.createConnection(uri!, { dbName: dbName! }).asPromise();
const report = new RecordedReport();
await migrate(
  connection,
  optionsOf({
    holder: holder!,
    report,
    migrations: [slowMigration(batches === undefined ? undefined : Number(batches))],
    leaseTimes: { beatMs: 200, lostAfterMs: 1500 },
  }),
);
process.stdout.write(JSON.stringify({ logged: report.logged, warned: report.warned }));
await connection.close();
