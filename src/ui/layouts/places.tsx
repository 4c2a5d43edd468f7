import type { ReactNode } from 'react';
import type { MessageId } from '../../messages/ids.ts';
import { icon } from '../icons.tsx';

export const Overview = icon(
  <>
    <rect x="2.5" y="2.5" width="6" height="8" rx="1.5" />
    <rect x="11.5" y="2.5" width="6" height="4.5" rx="1.5" />
    <rect x="2.5" y="13.5" width="6" height="4" rx="1.5" />
    <rect x="11.5" y="10" width="6" height="7.5" rx="1.5" />
  </>,
);

const Plus = icon(
  <>
    <circle cx="10" cy="10" r="7.7" />
    <path d="M10 6.5v7M6.5 10h7" />
  </>,
);

export const Person = icon(
  <>
    <circle cx="10" cy="6.5" r="3.7" />
    <path d="M2.8 17.2c.9-3.4 3.7-5 7.2-5s6.3 1.6 7.2 5" />
  </>,
);

export const Screen = icon(
  <>
    <rect x="2.3" y="3.3" width="15.4" height="10.4" rx="1.8" />
    <path d="M10 13.7v3M6.5 16.7h7" />
  </>,
);

const Lines = icon(<path d="M3 5h2M8 5h9M3 10h2M8 10h9M3 15h2M8 15h9" />);

const Bell = icon(
  <path d="M4 14.5h12c-1.2-1.4-1.7-2.6-1.7-5a4.3 4.3 0 0 0-8.6 0c0 2.4-.5 3.6-1.7 5zM8.3 17.3c.9.7 2.5.7 3.4 0M10 3v2" />,
);

export const Siren = icon(
  <path d="M5.5 15v-4.2a4.5 4.5 0 0 1 9 0V15M3.5 17.5v-2.5h13v2.5zM10 2v1.7M3.4 4.4l1.2 1.2M16.6 4.4l-1.2 1.2" />,
);

export const Magnifier = icon(
  <>
    <circle cx="9" cy="9" r="5.5" />
    <path d="M13.2 13.2L17 17" />
  </>,
);

/** Points to the end of the line: turn it in languages that run from right to left. */
export const Leave = icon(
  <path d="M8 2.8H4.3c-.8 0-1.5.7-1.5 1.5v11.4c0 .8.7 1.5 1.5 1.5H8M8 10h9.2M13.4 6.2L17.2 10l-3.8 3.8" />,
);

/** A place of the navigation. A page below it, such as that of one device, marks it as current. */
export interface MenuPlace {
  readonly to: string;
  /** Where the pages below it are; default: `to`. */
  readonly below?: string;
  readonly label: MessageId;
  readonly icon: ReactNode;
  readonly ofDevices?: true;
  /** What of the account the number beside it counts. */
  readonly counts?: 'open_incidents' | 'unread_notifications';
}

export const placesOfAccount: readonly MenuPlace[] = [
  { to: '/dashboard/', label: 'dashboard.page', icon: <Overview />, ofDevices: true },
  { to: '/devices/', label: 'devices.page', icon: <Screen />, ofDevices: true },
  { to: '/records/', label: 'records.page', icon: <Lines />, ofDevices: true },
  { to: '/alarms/', label: 'account_alarms.page', icon: <Siren />, ofDevices: true, counts: 'open_incidents' },
  {
    to: '/notifications/',
    label: 'notifications.page',
    icon: <Bell />,
    ofDevices: true,
    counts: 'unread_notifications',
  },
  { to: '/computers/add/', label: 'computers_add.page', icon: <Plus />, ofDevices: true },
  { to: '/account/', label: 'account.page', icon: <Person /> },
];

/** The pages below the last one. */
export const sectionsOfAccount = [
  ['/account/', 'account_profile.page'],
  ['/account/security/', 'account_security.page'],
  ['/account/sessions/', 'account_sessions.page'],
  ['/account/notifications/', 'account_notifications.page'],
  ['/account/privacy/', 'account_privacy.page'],
] as const satisfies readonly (readonly [path: string, label: MessageId])[];
