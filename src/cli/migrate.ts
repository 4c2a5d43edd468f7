import type { StoreCommand } from './command.ts';

/** Every command migrates before it runs, so that this one has nothing else to do. */
export const migrateCommand: StoreCommand = {
  name: ['migrate'],
  usage: 'migrate',
  summary: "bring the database to this version's tables",
  run: async () => ({ text: 'The database is up to date.', data: { migrated: true } }),
};
