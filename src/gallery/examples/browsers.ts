import { unknownDevice } from '../../contract/devices.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import type { listDevices, listSessions } from '../../journeys/account/sessions/sessions.contract.ts';

const at = '2026-01-01T12:00:00Z';
const seen = { current: false, device: 'Chrome, Android', ip: '192.0.2.7', created_at: at, last_seen_at: at };
const phone = { place: 'San Pedro de Atacama, Chile', ip: '2001:db8:85a3:1234:5678:8a2e:370:7334' };
const here = { ...seen, current: true, device: 'Firefox, Windows' };
const times = { user_agent: '', expires_at: at };

/** The account’s sessions, this browser’s first. */
export const sessions: ResponseBody<typeof listSessions>['sessions'] = [
  { ...here, ...times, id: 's', device_id: 'a' },
  { ...seen, ...times, ...phone, id: 't', device_id: 'b' },
  { ...seen, ...times, id: 'u', device: unknownDevice },
];
/** The browsers that the account knows, signed in or not. */
export const browsers: ResponseBody<typeof listDevices>['devices'] = [
  { ...here, id: 'a' },
  { ...seen, ...phone, id: 'b' },
  { ...seen, id: 'c', device: 'Safari, macOS', place: 'Berlin, Germany' },
];
