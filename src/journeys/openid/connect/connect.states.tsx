import { keepReturnPlace } from '../../../browser/navigation/last-place.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { type Act, press, submit, type } from '../../../gallery/acts.ts';
import { account, appRequest, connectedApp, over, signedIn, television } from '../../../gallery/examples/account.ts';
import { answers } from '../../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../../gallery/state.tsx';
import {
  decide,
  decideDevice,
  disconnectApp,
  listApps,
  readDevice,
  readRequest,
  readStep,
} from './connect.contract.ts';

/** Another origin's name as an attacker would write it. */
const hostile = { ...appRequest, app: '<b>Vestibule</b> — approved', site: 'a'.repeat(60) };
const step = (given: typeof appRequest, name: 'consent' | 'refused' | 'sign_in_again') =>
  ({
    ...signedIn,
    search: '?request=r',
    replies: [answers(readStep, { ...given, step: name })],
  }) satisfies Partial<State>;
const withAccount = (state: ReturnType<typeof step>) => ({ ...state, replies: [...state.replies, account] });
const consent = withAccount(step(appRequest, 'consent'));
/** An application has sent the visitor here. */
const sentBy = (app: string) =>
  ({
    before: () => keepReturnPlace(new URL('/connect/?request=r', location.href)),
    replies: [answers(readRequest, { app })],
  }) satisfies Partial<State>;
const ended = { not_signed_in: 'failure.session_ended' } as const;

const entered = [type({ user_code: 'WDJB-MJHT' }), submit];
const found = { ...signedIn, replies: [answers(readDevice, television)], acts: entered } satisfies Partial<State>;
const read = { ...signedIn, replies: [account] } satisfies Partial<State>;
const details = { validation_failed: { fields: [] }, too_many_requests: { minutes: 4 } };

const failing = (endpoint: Endpoint, { replies }: Pick<State, 'replies'>, ...acts: readonly Act[]) =>
  refusalsOf(endpoint, { from: { ...read, acts, replies: [...over, ...(replies ?? [])] }, details, words: ended });

export const states: readonly States[] = [
  {
    of: 'Connect',
    page: 'connect',
    states: {
      'looking at the request': { ...signedIn, shows: ['connect.page'] },
      consent: {
        ...consent,
        shows: [
          'connect.consent_title',
          'connect.consent_text',
          'connect.scope_openid',
          'connect.scope_profile',
          'connect.scope_email',
          'connect.scope_phone',
          'connect.scope_groups',
          'connect.scope_offline_access',
          'connect.scope_resource',
          'connect.not_you',
          'connect.allow',
          'connect.refuse',
        ],
      },
      'hostile names': { ...step(hostile, 'consent'), shows: ['connect.consent_text'] },
      'without the group': {
        ...withAccount(step(appRequest, 'refused')),
        shows: ['connect.refused_title', 'connect.refused_text', 'connect.back'],
      },
      'asked to sign in again': {
        ...step(appRequest, 'sign_in_again'),
        shows: ['connect.again_title', 'connect.again_text', 'sign_in.submit'],
      },
      allowing: { ...consent, acts: [press('connect.allow')], shows: ['form.wait'] },
      ...refusalsOf(readStep, {
        from: { ...signedIn, search: '?request=r', replies: over },
        details,
        words: { ...ended, not_found: 'connect_failed.text' },
      }),
      ...Object.fromEntries(
        Object.entries(
          refusalsOf(decide, {
            from: { ...consent, acts: [press('connect.allow')], replies: [...over, ...consent.replies] },
            details,
            words: ended,
          }),
        ).map(([name, state]) => [`deciding, ${name}`, state]),
      ),
    },
  },
  {
    of: 'Continue to an app',
    page: 'sign-in',
    states: {
      named: { ...sentBy('Grafana'), shows: ['connect.continue_to'] },
    },
  },
  {
    of: 'Register for an app',
    page: 'register',
    states: { named: { ...sentBy('Grafana'), shows: ['connect.then_to'] } },
  },
  {
    of: 'Recover for an app',
    page: 'recovery',
    states: {
      named: { ...sentBy('Grafana'), shows: ['connect.then_to'] },
      'hostile name': { ...sentBy(`<b>\u202Everified\u2066${'m'.repeat(300)}`), shows: ['connect.then_to'] },
    },
  },
  {
    of: 'Connect failed',
    page: 'connect-failed',
    states: {
      'with a code': {
        search: '?error=invalid_request&reference=0F9A3C61B2',
        shows: ['connect_failed.page', 'connect_failed.text', 'connect_failed.reference'],
      },
    },
  },
  {
    of: 'Connect a device',
    page: 'connect-device',
    states: {
      empty: {
        ...signedIn,
        shows: ['connect_device.page', 'connect_device.lead', 'connect_device.code', 'connect_device.submit'],
      },
      waiting: { ...signedIn, acts: entered, shows: ['form.wait'] },
      ...refusalsOf(readDevice, { from: { ...signedIn, acts: entered, replies: over }, details, words: ended }),
      found: { ...found, shows: ['connect.consent_title', 'connect_device.confirm'] },
      allowed: {
        ...found,
        acts: [...entered, press('connect.allow')],
        replies: [...found.replies, answers(decideDevice, undefined)],
        shows: ['connect_device.allowed'],
      },
      refused: {
        ...found,
        acts: [...entered, press('connect.refuse')],
        replies: [...found.replies, answers(decideDevice, undefined)],
        shows: ['connect_device.refused'],
      },
      ...Object.fromEntries(
        Object.entries(
          refusalsOf(decideDevice, {
            from: { ...found, acts: [...entered, press('connect.allow')], replies: [...over, ...found.replies] },
            details,
            words: ended,
          }),
        ).map(([name, state]) => [`deciding, ${name}`, state]),
      ),
    },
  },
  {
    of: 'Connected apps',
    page: 'account-privacy',
    states: {
      none: {
        ...read,
        replies: [...read.replies, answers(listApps, { apps: [] })],
        shows: ['connected_apps.title', 'connected_apps.none'],
      },
      one: {
        ...read,
        replies: [...read.replies, answers(listApps, { apps: [connectedApp] })],
        shows: ['connected_apps.used', 'connected_apps.disconnect'],
      },
      ...failing(listApps, read),
      ...Object.fromEntries(
        Object.entries(
          failing(
            disconnectApp,
            { replies: [...read.replies, answers(listApps, { apps: [connectedApp] })] },
            press('connected_apps.disconnect'),
          ),
        ).map(([name, state]) => [`disconnecting, ${name}`, state]),
      ),
    },
  },
];
