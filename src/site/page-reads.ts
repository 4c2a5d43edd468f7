/**
 * Paths of the data that a page shows first, by its name in `pages.ts`; `:id` is the last part of the page's address.
 * Browsers request them together with its scripts (`browser/requests/early-reads.ts`). Not in `pages.ts`, which every
 * page loads.
 */
export const pageReads: Readonly<Record<string, readonly string[]>> = {
  dashboard: ['/account', '/computers', '/account/notifications'],
  devices: ['/account', '/computers'],
  device: ['/account', '/computers/:id/history', '/computers/:id/alarms'],
  records: ['/account', '/computers'],
  'computers-add': ['/account'],
  account: ['/account'],
  'account-security': ['/account'],
  'account-devices': ['/account'],
  'account-notifications': ['/account'],
  'account-alarms': ['/account', '/account/alarms'],
  'account-privacy': ['/account', '/account/apps'],
};
