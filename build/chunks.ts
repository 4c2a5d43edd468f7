import { join } from 'node:path';
import { normalizePath, type Rolldown } from 'vite';

type Naming = Rolldown.CodeSplittingNameFunction;

/** Screens whose shared modules form a chunk: a visitor who cannot sign in goes from the first to the second. */
const formScreens = ['sign-in/sign-in.screen.tsx', 'recover-password/recovery.screen.tsx'];

/** The contract and the fields of registration share it. In their chunks, every form would load those fields. */
const small = /contract\/call-ways/;

/** Assigns the chunk to all modules that these screens import statically, directly or not. */
function importedBy(screens: readonly string[], chunk: string): Naming {
  const found = new Set(screens.map((path) => normalizePath(join(import.meta.dirname, '..', 'src', 'journeys', path))));
  let isComplete = false;
  return (id, graph) => {
    // Iterating a Set also visits elements that are added during the iteration.
    if (!isComplete)
      for (const one of found) for (const next of graph.getModuleInfo(one)?.importedIds ?? []) found.add(next);
    isComplete = true;
    return found.has(id) || small.test(id) ? chunk : null;
  };
}

const shared = { includeDependenciesRecursively: false, minShareCount: 2, priority: 0 };

/** The chunks besides the entry and each screen: docs/decisions/0024-chunks.md has the measurements. */
export const chunks = [
  // The contract of the account page, which no other page uses.
  {
    name: 'account-contract',
    test: /src\/contract\/account\.ts$|journeys\/account\/([\w-]+\/)?[\w-]+\.contract\.ts$/,
    includeDependenciesRecursively: false,
    priority: 4,
  },
  // Validates and sends forms, and then goes to the last place: loaded when a visitor starts to fill one in.
  {
    name: 'contract',
    test: /node_modules\/zod\/|(?<!alarms|passkeys|second-step|second-step-settings)\.contract\.ts$|contract\/(idempotency-key|endpoint|own-id|failures|fields\/(field|digits|inn|email-address|trim|time-zone)|sign-in\/(access-granted|session|proof-of-work)|pages\/(server-path|last-place))|form-check|platform\/tab-lock|requests\/(send|send-signed-in|session-requests|record-requests)\.ts$|navigation\/last-place\.ts$/,
    includeDependenciesRecursively: false,
    priority: 3,
  },
  // Every page loads it first.
  { name: 'app', tags: ['$initial' as const], priority: 2 },
  { name: importedBy(formScreens, 'form'), debugName: 'form', minShareCount: 2, priority: 1 },
  // Fields of registration and account: one script and one style, because each request delays the first paint.
  {
    name: 'person',
    test: /src\/(browser\/requests\/idempotency-key|ui\/fields\/(phone-field|country-picker|fold|checkbox)|journeys\/confirm-phone\/(?!steps\/(?:waiting|digits|reverse-call)\.).*\.part)/,
    minShareCount: 2,
    priority: 0,
  },
  // The frame of signed-in pages, and what they share: the first page's script names every chunk.
  {
    name: 'inside',
    test: /src\/(ui\/(initials|layouts\/(account-|side-|page-head|sheet|ghost-rows|card|day-title))|browser\/(language\/by-day|navigation\/(query|kept-focus)|requests\/(account|account-changes|account-events|step-up|session-end)\.ts)|ui\/step-up\/step-up-host|journeys\/account\/notices\/account-notices)/,
    ...shared,
  },
  {
    name: 'devices',
    test: /src\/journeys\/dashboard\/.*\.(part|module)/,
    ...shared,
  },
  // The contracts of the account and of alarms use them as well.
  { name: 'kinds', test: /src\/contract\/computers\/record-kinds/, ...shared },
  // Passkeys: the browser's dialogs and signals, and the contract, which the export of an account also contains.
  {
    name: 'passkeys',
    test: /@simplewebauthn\/browser|src\/browser\/passkeys\/(ceremony|signals)/,
    includeDependenciesRecursively: false,
    priority: 3,
  },
  {
    name: 'passkeys-contract',
    test: /src\/(contract\/sign-in\/web-authn|journeys\/passkeys\/passkeys\.contract)/,
    includeDependenciesRecursively: false,
    priority: 3,
  },
  // Fields for a code, which the second step of a sign-in shows first.
  { name: 'digits', test: /src\/ui\/fields\/(code-field|digits-input)/, ...shared },
  // Texts and QR codes that users copy to or scan with another device.
  { name: 'handover', test: /uqr|src\/(ui\/qr-code|journeys\/computers\/add\/command)/, ...shared },
  // Code that the session shares with the frame of signed-in pages.
  { name: 'state', test: /src\/browser\/(requests\/(early-reads|known-account)|platform\/channel)/, ...shared },
  // The pages that emails link to.
  { name: 'links', test: /src\/journeys\/.*\/(incomplete-link|reset-outcomes)\.part/, ...shared },
  // The parts that several pages of the account share: one script and one style.
  {
    name: 'account-parts',
    test: /src\/journeys\/account\/(layout\/|(lines|read|sessions\/device|second-step\/(use-security|save-text))\.(part|module))/,
    ...shared,
  },
];
