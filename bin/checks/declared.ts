/** Files of the build that reach browsers. */
const front: readonly string[] = ['dist/client', 'dist/prerender', 'dist/gallery', 'dist/messages'];

/** The inputs of the service or its command line in a separate process: the sources or the bundle. */
const program: readonly string[] = ['src/', 'build/', 'vite.config.ts', ...front, 'dist/server'];

/** Files that affect every check: packages, settings of tools, and the code that selects checks. */
export const concernsEverything =
  /^(?:package(?:-lock)?\.json|\.npmrc|vitest\.config\.ts|tsconfig[^/]*\.json|bin\/(?:check\.ts|launch\.mjs|setup\.mjs)|bin\/(?:checks|steps|imports)\/(?!.*\.test\.ts$).*)$/;

/** Environment variables that change what tests do. */
export const environment: readonly string[] = [
  ...['ENGINES', 'GALLERY_STATES', 'GALLERY_WAYS', 'HEADED', 'NODE_ENV', 'NODE_OPTIONS', 'TZ', 'LANG', 'LC_ALL'],
];

/**
 * Files that modules read without importing them: folders with a trailing `/`, and files; modules that they start are
 * followed. A module that can read files and has no entry counts as reading everything, so each entry is a promise.
 * `[]` means only data of the test itself.
 */
export const alsoReads: Readonly<Record<string, readonly string[]>> = {
  'src/browser/language/message.test.ts': ['src/messages/'],
  'src/cli/backup/backup.test.ts': [],
  'src/cli/backup/backup.ts': [],
  'src/cli/backup/backup-file.ts': [],
  'src/cli/backup/restore.ts': [],
  'src/cli/doctor/doctor.test.ts': [],
  'src/cli/doctor/examine-data.ts': [],
  'src/cli/doctor/examine-disk.ts': [],
  'src/cli/vestibule.test.ts': program,
  'src/development-inbox/development-provider.test.ts': [],
  'src/development-inbox/inbox.test.ts': [],
  'src/development-inbox/gallery.routes.ts': front,
  'src/development-inbox/inbox.routes.ts': ['src/development-inbox/'],
  'src/development-inbox/kept-files.ts': [],
  'src/gallery/every-state.test.ts': ['src/ui/'],
  'src/gallery/every-state.ts': ['src/'],
  'src/http/hostile/foreign-requests.test.ts': [],
  'src/http/pages/icons.ts': ['src/http/pages/icons/'],
  'src/http/telemetry/metrics.test.ts': ['docs/operate/'],
  'src/journeys/account/leaving/leave.test.ts': ['docs/account-export.schema.json'],
  'src/journeys/computers/device/agent.test.ts': ['bin/agent/'],
  'src/journeys/computers/device/device.routes.ts': ['bin/agent/'],
  'src/http/pages/redirect-rules.ts': [],
  'src/messages/compiled-catalogs.ts': ['dist/messages'],
  'src/messages/specified-texts.test.ts': ['src/messages/en.po'],
  'src/outbox/smtp/dkim.ts': [],
  'src/outbox/smtp/dkim.test.ts': [],
  'src/security/common-passwords.ts': [],
  'src/security/foreign/bcrypt.ts': ['src/security/foreign/bcrypt-worker.ts'],
  'src/security/foreign/bcrypt-worker.ts': [],
  'src/server/pages/assets.ts': front,
  'src/server/backups.ts': ['src/cli/'],
  'src/server/backups.test.ts': ['src/cli/'],
  'src/server/settings/config.test.ts': ['.env.example'],
  'src/server/process/data-folder.ts': [],
  'src/server/settings/environment.ts': ['.env'],
  'src/server/open-service.ts': front,
  'src/server/keys/stored-keys.ts': [],
  'src/server/settings/operator-secret.ts': [],
  'src/server/geoip.ts': [],
  'src/server/pages/rendered-pages.ts': [...front, 'src/server/pages/render-pages.ts'],
  'src/server/pages/render-pages.ts': front,
  'src/server/process/start-errors.test.ts': program,
  'src/server/process/start-together.test.ts': program,
  'src/server/shutdown/graceful-shutdown.test.ts': program,
  'src/server/process/thread-priorities.ts': [],
  'src/server/process/thread-priorities.test.ts': [],
  'src/server/tracing/tracing.test.ts': program,
  'src/store/make-folder.ts': [],
  'src/store/migrate.test.ts': ['src/store/migrate.ts', 'src/store/migrations.ts'],
  'src/store/sqlite/files.ts': [],
  'src/testing/built.ts': program,
  'src/testing/command-line.ts': program,
  'src/testing/compile-cache.ts': [],
  'src/testing/folder-contents.ts': [],
  'src/testing/databases/databases.ts': [],
  'src/testing/databases/postgres.ts': [],
  'src/testing/places-file.ts': [],
  'src/testing/process.ts': program,
  // Every test that copies the project reads files itself, so it counts as reading everything.
  'src/testing/project-copy.ts': [],
  'src/testing/reach.test.ts': ['src/testing/reach.ts'],
  'src/testing/renderings.ts': front,
  'src/testing/shared-pages.ts': front,
  // The other files that these read in their copy are inputs of the checks `types`, `import rules` and `messages`.
  'bin/checks/check.test.ts': ['bin/', 'src/messages/'],
  'bin/imports/rules.test.ts': ['src/'],
  'bin/start.test.ts': ['bin/serve.mjs', ...program],
  'bin/serve.mjs': program,
  'bin/lock-file.test.ts': [],
  'bin/steps/places.mjs': [],
  'bin/steps/stamp.mjs': ['src/', 'build/', 'bin/agent/', 'vite.config.ts', 'bin/budget.mjs'],
  'build/mode.test.ts': ['vite.config.ts', 'build/'],
  'build/page-texts.test.ts': [],
  'build/page-texts.ts': [],
  'build/tokens.test.ts': ['src/ui/tokens.css'],
  'e2e/add-computers.test.ts': ['bin/agent/'],
  'e2e/browser.ts': [],
  'e2e/readable.ts': [],
  'e2e/tabs.test.ts': [],
  'vite.config.ts': ['build/'],
};

/**
 * Tests that depend on fewer files than they import. The gallery mocks every request: it depends only on the pages,
 * assets and headers of the service.
 */
export const reachesOnly: Readonly<Record<string, RegExp>> = {
  'e2e/gallery.test.ts':
    /^(?:e2e\/(?:gallery\.test|[\w-]+)\.ts$|src\/(?:gallery|development-inbox|http|server|contract|testing)\/(?!.*\.test\.tsx?$)|src\/messages\/(?:ids|compiled-catalogs)\.ts$|src\/journeys\/.*\.contract\.ts$)/,
};
