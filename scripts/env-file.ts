import { existsSync } from "node:fs";

// Loads the settings of `.env` in the working directory; the environment overrides them. Node's
// --env-file-if-exists would print a line at every start without the file.

if (existsSync(".env")) process.loadEnvFile(".env");
