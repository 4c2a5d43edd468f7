import type { ResponseBody } from '../../contract/endpoint.ts';
import { activityWords } from '../../journeys/account/sessions/activity.part.tsx';
import type { readActivity } from '../../journeys/account/sessions/sessions.contract.ts';

/** A line of each kind, and one of a kind that only a newer server knows. */
export const activityLines: ResponseBody<typeof readActivity>['records'] = [
  ...Object.keys(activityWords),
  'of_a_newer_server',
].map((kind) => ({
  id: kind,
  at: '2026-01-01T12:00:00Z',
  kind,
  ip: '192.0.2.7',
  user_agent: '',
  device: 'Firefox, Windows',
  place: 'Berlin, Germany',
}));
