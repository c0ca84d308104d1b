import { existsSync } from "node:fs";

// Loaded first by what people start on their machine: the settings of `.env` in the folder it is started in, but for those that the
// environment has. Node's --env-file-if-exists would say at every start that there is none.

if (existsSync(".env")) process.loadEnvFile(".env");
