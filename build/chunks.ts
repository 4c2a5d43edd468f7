import { join } from 'node:path';
import { normalizePath, type Rolldown } from 'vite';

type Naming = Rolldown.CodeSplittingNameFunction;

/** Screens whose shared modules every form needs: a visitor who cannot sign in goes from the first to the second. */
const formScreens = ['sign-in/sign-in.screen.tsx', 'recover-password/recovery.screen.tsx'];

/** Names the chunk of all modules that these screens import, directly or not; what they load later stays out. */
function importedBy(screens: readonly string[], chunk: string): Naming {
  const found = new Set(screens.map((path) => normalizePath(join(import.meta.dirname, '..', 'src', 'journeys', path))));
  let isComplete = false;
  return (id, graph) => {
    // A set that grows while it is walked is walked to its end.
    if (!isComplete)
      for (const one of found) for (const next of graph.getModuleInfo(one)?.importedIds ?? []) found.add(next);
    isComplete = true;
    return found.has(id) ? chunk : null;
  };
}

/** Which modules travel together, beside the entry and each screen: docs/decisions/0024-chunks.md has the measurements. */
export const chunks = [
  // The contract of the account's page, which no other page sends.
  {
    name: 'account-contract',
    test: /src\/contract\/account\.ts$|journeys\/account\/([\w-]+\/)?[\w-]+\.contract\.ts$/,
    includeDependenciesRecursively: false,
    priority: 4,
  },
  // Checks and sends forms: loaded when somebody begins to fill one in.
  {
    name: 'contract',
    test: /node_modules\/zod\/|\.contract\.ts$|contract\/(idempotency-key|endpoint|fields\/(field|digits)|access-granted|session|last-place)|form-check|requests\/(send|send-signed-in|session-requests)\.ts$/,
    includeDependenciesRecursively: false,
    priority: 3,
  },
  // Every page begins with it.
  { name: 'app', tags: ['$initial' as const], priority: 2 },
  { name: importedBy(formScreens, 'form'), debugName: 'form', minShareCount: 2, priority: 1 },
  // Registration and the account ask for a person's data: one script and one style, since each request delays the first paint.
  {
    name: 'person',
    test: /src\/(browser\/requests\/idempotency-key|ui\/fields\/(digits-input|phone-field|country-picker|fold|checkbox)|journeys\/confirm-phone\/.*\.part)/,
    minShareCount: 2,
    priority: 0,
  },
];
