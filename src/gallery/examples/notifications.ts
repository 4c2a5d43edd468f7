import type { listNotifications } from '../../contract/computers/computers.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';

type Notification = ResponseBody<typeof listNotifications>['notifications'][number];

/** A notification of the dashboard; a higher place is older. */
export const notification = (
  place: number,
  read: boolean,
  kind: Notification['kind'] = 'computer_added',
): Notification => ({
  id: String(place),
  at: new Date(Date.UTC(2026, 10, 21, 12, -place)).toISOString(),
  kind,
  name: 'Front desk',
  read,
});
