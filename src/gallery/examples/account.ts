import { startSession } from '../../browser/requests/session.ts';
import { readAccount } from '../../contract/account.ts';
import { unknownBrowser } from '../../contract/activity.ts';
import type { Endpoint, ResponseBody } from '../../contract/endpoint.ts';
import { allScopes } from '../../contract/openid-scopes.ts';
import { refresh } from '../../contract/sign-in/admission.ts';
import type {
  beginAuthenticator,
  readSecurity,
} from '../../journeys/account/second-step/second-step-settings.contract.ts';
import { activityWords } from '../../journeys/account/sessions/activity.part.tsx';
import type { listSessions, readActivity } from '../../journeys/account/sessions/sessions.contract.ts';
import type { listApps, readDevice, readStep } from '../../journeys/openid/connect/connect.contract.ts';
import type { listPasskeys } from '../../journeys/passkeys/passkeys.contract.ts';
import type { pendingSignIn } from '../../journeys/second-step/second-step.contract.ts';
import { answers, refuses } from '../replies.ts';
import type { State } from '../state.tsx';

/** The response to a sign-in. */
export const granted = { access_token: 'a', token_type: 'Bearer', expires_in: 600 } as const;

/** For states of pages for signed-in users. */
export const signedIn = { before: () => startSession(granted) } satisfies Partial<State>;

/** Replies for an expired token whose session has ended. */
export const over = [refuses(refresh, 'session_ended', { reason: 'expired' })];

/** A request that is refused although the session was just refreshed. */
export const refusedTwice = (endpoint: Endpoint): State => ({
  ...signedIn,
  replies: [refuses(endpoint, 'not_signed_in'), answers(refresh, granted)],
  shows: ['failure.not_signed_in'],
});

const at = '2026-01-01T00:00:00Z';

/** The account in the states, by default. */
export const anna: ResponseBody<typeof readAccount> = {
  id: 'a',
  name: 'Anna Berg',
  email: 'anna@example.com',
  email_confirmed: true,
  email_unreachable: false,
  phone: '+12025550147',
  phone_written: '+1 202 555 0147',
  phone_confirmed: true,
  organization: 'Acme',
  inn: null,
  locale: 'en',
  time_zone: 'Europe/Berlin',
  created_at: at,
  consents: [
    { kind: 'personal_data', given: true, version: 1, document: 'https://example.com/privacy', locale: 'en', at },
    { kind: 'terms', given: true, version: 1, document: 'https://example.com/terms', locale: 'en', at },
  ],
  mail_new_device: true,
  unread_notifications: 0,
  open_incidents: 0,
  password_changed_at: at,
};

/** The reply with Anna’s account, or with one that differs from it. */
export const accountOf = (known: Partial<typeof anna> = {}) => answers(readAccount, { ...anna, ...known });
export const account = accountOf();
/** As after an import, or a sign-in that removed what a stranger had entered. */
export const noPhone = { phone: '', phone_written: '', phone_confirmed: false };

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

const noon = '2026-01-01T12:00:00Z';
const seen = { current: false, device: 'Chrome, Android', ip: '192.0.2.7', created_at: noon, last_seen_at: noon };
const phone = { place: 'San Pedro de Atacama, Chile', ip: '2001:db8:85a3:1234:5678:8a2e:370:7334' };
const here = { ...seen, current: true, device: 'Firefox, Windows' };
const times = { user_agent: '', expires_at: noon };

/** The account’s sessions, this browser’s first. */
export const sessions: ResponseBody<typeof listSessions>['sessions'] = [
  { ...here, ...times, id: 's' },
  { ...seen, ...times, ...phone, id: 't' },
  { ...seen, ...times, id: 'u', device: unknownBrowser },
];

type Security = ResponseBody<typeof readSecurity>;

/** A new account: a password, nothing else. */
export const passwordOnly: Security = {
  password: true,
  passkeys: 0,
  authenticator: false,
  recovery_codes_left: 0,
  recovery_codes_made_at: null,
  remembered_devices: 0,
  removal_at: null,
  second_step_missing: false,
};
export const withAuthenticator: Security = {
  ...passwordOnly,
  authenticator: true,
  recovery_codes_left: 8,
  recovery_codes_made_at: '2026-11-14T09:12:00.000Z',
  remembered_devices: 2,
};
/** When a requested removal of the second step takes effect. */
export const removal_at = '2026-01-02T12:00:00Z';

/** A sign-in that waits for its second step, by every method. */
export const pending: ResponseBody<typeof pendingSignIn> = {
  ways: ['authenticator', 'passkey', 'recovery_code'],
  removal_at: null,
};

/** The key of a new authenticator app. */
export const authenticatorKey: ResponseBody<typeof beginAuthenticator> = {
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  uri: 'otpauth://totp/Vestibule:anna@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Vestibule',
  expires_in: 600,
};
const recoveryCodes = Array.from({ length: 10 }, (_, at) => `${at}bcd-ef${at}h-jk${at}m`);
export const madeCodes = { recovery_codes: recoveryCodes, recovery_codes_made_at: '2026-11-14T09:12:00.000Z' };

type Passkey = ResponseBody<typeof listPasskeys>['passkeys'][number];

/** Options of a ceremony, as the server sends them. */
export const pickOptions = {
  challenge: 'Y2hhbGxlbmdl',
  timeout: 300_000,
  rpId: 'localhost',
  userVerification: 'required' as const,
};

export const createOptions = {
  rp: { id: 'localhost', name: 'Vestibule' },
  user: { id: 'dXNlcg', name: 'anna@example.com', displayName: 'Anna Berg' },
  challenge: 'Y2hhbGxlbmdl',
  pubKeyCredParams: [{ type: 'public-key' as const, alg: -7 }],
  timeout: 300_000,
  excludeCredentials: [],
  authenticatorSelection: {
    residentKey: 'required' as const,
    requireResidentKey: true as const,
    userVerification: 'required' as const,
  },
  attestation: 'none' as const,
};

export const macPasskey: Passkey = {
  id: 'one',
  name: 'iCloud Keychain',
  provider: 'iCloud Keychain',
  synced: true,
  created_at: '2026-01-01T00:00:00Z',
  last_used_at: '2026-02-01T09:30:00Z',
};

export const keyPasskey: Passkey = {
  id: 'two',
  name: 'Anna’s security key',
  provider: 'YubiKey 5 Series',
  synced: false,
  created_at: '2026-01-15T00:00:00Z',
  last_used_at: null,
};

/** The request of an application that sends someone to sign in; the next step is the state’s. */
export const appRequest = {
  app: 'Grafana',
  site: 'grafana.example.com',
  scopes: [...allScopes],
  apis: [{ name: 'Notes (notes.example)', scopes: ['notes:read', 'notes:write'] }],
  to: '/oidc/auth/r',
} satisfies Omit<ResponseBody<typeof readStep>, 'step'>;

/** The request of an application on a television. */
export const television: ResponseBody<typeof readDevice> = {
  app: 'Television',
  scopes: [...allScopes.slice(0, 2)],
  apis: [],
};

/** An application that the account is connected to. */
export const connectedApp: ResponseBody<typeof listApps>['apps'][number] = {
  id: 'g',
  name: 'Grafana',
  scopes: [...allScopes.slice(0, 3)],
  apis: [],
  connected_at: '2026-01-01T12:00:00Z',
  last_used_at: '2026-02-01T12:00:00Z',
};
