import { isLoopbackHost } from './pages.ts';

/** Events that other applications can subscribe to. */
export const eventTypes = [
  'account.created',
  'account.changed',
  'account.email_changed',
  'account.locked',
  'account.deletion_planned',
  'account.deleted',
  'session.reused',
  'computer.added',
  'computer.removed',
  'computer.alarm',
] as const;

export type EventType = (typeof eventTypes)[number];

export const maxReceivers = 50;
const longestUrl = 2000;

/** Whether events can go there: over TLS or within this machine. */
export function isReceiverUrl(text: string): boolean {
  const url = text.length > longestUrl ? null : URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}
