/**
 * Paths of the data that a page shows first, by its name in `pages.ts`; `:id` is the last part of the page's address,
 * `:locale` its language. If the address has a query, it may select other data, so paths with a query are left out.
 * Browsers request them together with its scripts (`browser/requests/early-reads.ts`).
 */
export const pageReads: Readonly<Record<string, readonly string[]>> = {
  dashboard: ['/account', '/computers', '/computers/records?limit=10'],
  wall: ['/account', '/computers'],
  notifications: ['/account', '/account/notifications'],
  alarms: ['/account', '/account/incidents'],
  'alarm-rules': ['/account', '/account/alarms'],
  devices: ['/account', '/computers'],
  device: ['/account', '/computers/:id/history', '/computers/:id/alarms', '/computers/records?limit=10&computer=:id'],
  records: ['/account', '/computers', '/computers/records?limit=100'],
  'computers-add': ['/account'],
  account: ['/account'],
  'account-security': ['/account', '/account/security', '/account/activity?locale=:locale&limit=5'],
  'account-devices': ['/account', '/account/sessions?locale=:locale'],
  'account-notifications': ['/account'],
  'account-privacy': ['/account', '/account/apps'],
};
