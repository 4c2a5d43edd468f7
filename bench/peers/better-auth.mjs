// Better Auth with its defaults, as its documentation shows it for Node and SQLite; without its rate limit, which would
// determine the figures.
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';

const { PORT, FILE = ':memory:' } = process.env;
const url = `http://127.0.0.1:${PORT}`;
const options = {
  baseURL: url,
  secret: 'a secret of thirty-two characters.',
  database: new DatabaseSync(FILE),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
};
const { runMigrations } = await getMigrations(options);
await runMigrations();
createServer(toNodeHandler(betterAuth(options))).listen(Number(PORT), '127.0.0.1');
