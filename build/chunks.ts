import { join } from 'node:path';
import { normalizePath, type Rolldown } from 'vite';

/** A chunk of the modules that one of `roots` imports statically, directly or not, and that `shared` chunks need. */
function importedBy(name: string, shared: number, roots: readonly string[]) {
  const found = new Set(roots.map((path) => normalizePath(join(import.meta.dirname, '..', 'src', path))));
  const chunkOf: Rolldown.CodeSplittingNameFunction = (id, graph) => {
    // Iterating a Set also visits elements that are added during the iteration.
    for (const one of found) for (const next of graph.getModuleInfo(one)?.importedIds ?? []) found.add(next);
    return found.has(id) ? name : null;
  };
  return { name: chunkOf, debugName: name, minShareCount: shared };
}

/**
 * The chunks besides that of each screen. A module belongs to the first chunk that takes it;
 * docs/decisions/service.md (0024) has the measurements.
 */
export const chunks = [
  // Every page loads it first.
  { name: 'app', tags: ['$initial' as const] },
  // What pages without a session share.
  importedBy('form', 2, [
    'journeys/sign-in/sign-in.screen.tsx',
    'journeys/recover-password/recovery.screen.tsx',
    'journeys/openid/logout/sign-out.screen.tsx',
    'journeys/second-step/second-step.screen.tsx',
    'journeys/account/contacts/change-email.screen.tsx',
    // Registration and account share it, and the account does not load the fields below.
    'ui/fields/profile-fields.tsx',
  ]),
  // The phone and its confirmation, which the account also has.
  importedBy('fields', 2, ['journeys/register/register.screen.tsx']),
  // Checks forms, sends requests, and signs in with a passkey: pages without a session load it when it is needed.
  importedBy('requests', 1, [
    'browser/forms/form-check.ts',
    'browser/requests/send-signed-in.ts',
    'journeys/sign-in/sign-in.contract.ts',
    'journeys/passkeys/sign-in-by-passkey.part.ts',
  ]),
  // The frame of signed-in pages, and what they share.
  importedBy('inside', 2, [
    'journeys/account/account.screen.tsx',
    'journeys/account/security/security.screen.tsx',
    'journeys/account/sessions/sessions.screen.tsx',
    'journeys/account/notifications/notifications.screen.tsx',
    'journeys/account/leaving/privacy.screen.tsx',
    'contract/plain-text.ts',
  ]),
  // What pages about devices share, then the list of devices.
  importedBy('devices', 3, [
    'devices/dashboard/notifications/notifications.screen.tsx',
    'devices/dashboard/wall/wall.screen.tsx',
    'devices/alarms/incidents/incident-title.part.tsx',
    'ui/fields/search-field.tsx',
  ]),
  importedBy('list', 2, ['devices/dashboard/devices/device-list.part.tsx']),
].map((group, at, all) => ({ ...group, priority: all.length - at }));
