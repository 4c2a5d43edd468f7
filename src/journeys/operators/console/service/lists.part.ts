import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import type { OperatorRole } from '../../../../contract/operators.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { listApplications } from '../../applications.contract.ts';
import { listJobs } from '../../jobs.contract.ts';
import {
  listCalls,
  listEmails,
  listGroups,
  listNodes,
  listPromoCodes,
  listSettings,
  listSigningKeys,
  listSuppressed,
} from '../../service.contract.ts';
import { listDeliveries, listWebhooks } from '../../webhooks.contract.ts';
import { actOf } from '../person/acts.part.ts';

/** A text of ours with its numbers and its time (ISO 8601), the code of something that has a name, or words of others. */
export type LineWords =
  | string
  | { readonly id: MessageId; readonly values?: Readonly<Record<string, number>>; readonly when?: string }
  | { readonly notice: string }
  | { readonly way: string }
  | { readonly country: string };

type LineState = ResponseBody<typeof listEmails | typeof listDeliveries>['items'][number]['state'];

/** One line of a list. */
export interface ServiceLine {
  readonly id: string;
  readonly name: LineWords;
  readonly details: readonly (LineWords | null | undefined | false)[];
  readonly state?: LineState;
  /** Whether it deserves attention for another reason than its state. */
  readonly isOff?: boolean;
  /** ISO 8601, UTC. */
  readonly at?: string | null | undefined;
  /** The page about it. */
  readonly to?: string | undefined;
  /** The account or the address that gets emails again. */
  readonly who?: string;
  /** Types of events that a receiver gets. */
  readonly events?: readonly string[];
  /** What an operator can do about it. */
  readonly acts?: readonly LineActName[];
}

export type LineActName =
  | 'retry_email'
  | 'retry_webhook'
  | 'allow'
  | 'enable_webhook'
  | 'test_webhook'
  | 'change_events'
  | 'add_webhook_secret'
  | 'drop_webhook_secret'
  | 'remove_webhook'
  | 'confirm_application'
  | 'show_refusals'
  | 'add_application_secret'
  | 'drop_application_secret'
  | 'remove_application';

interface LinesPage {
  /** Above the lines. */
  readonly lead?: LineWords;
  readonly items: readonly ServiceLine[];
  readonly next: string | null;
}

/** What the lists are about, in their order. */
export const groupNames = {
  messages: 'console_service.messages',
  connections: 'console_service.connections',
  operation: 'console_service.operation',
} as const satisfies Record<string, MessageId>;

export interface ServiceList {
  readonly name: string;
  readonly group: keyof typeof groupNames;
  readonly label: MessageId;
  /** The endpoint behind it. */
  readonly path: string;
  readonly role: OperatorRole;
  readonly read: (signal: AbortSignal, cursor: string | undefined) => Promise<LinesPage>;
}

type Item<E> = ResponseBody<E> extends { readonly items: readonly (infer One)[] } ? One : never;

const whole = <One>(items: readonly One[], lineOf: (one: One) => ServiceLine): LinesPage => ({
  items: items.map(lineOf),
  next: null,
});

/** Whether something was given up, or waits for its next attempt. */
const canRetry = ({ state, attempts }: { readonly state: string; readonly attempts: number }): boolean =>
  state === 'given_up' || (state === 'queued' && attempts > 0);

const pageOfPerson = (id: string | null) => (id === null ? undefined : `/console/people/${id}/`);

/** What an owner can do about a receiver of events. */
const actsOnReceiver = ({ secrets, from_file, disabled_at }: Item<typeof listWebhooks>): readonly LineActName[] => [
  ...(disabled_at === null ? [] : ['enable_webhook' as const]),
  'test_webhook',
  ...(from_file
    ? []
    : (['change_events', secrets > 1 ? 'drop_webhook_secret' : 'add_webhook_secret', 'remove_webhook'] as const)),
];

/** What an operator can do about an application. */
const actsOnApplication = ({ doubt, from_file, secrets }: Item<typeof listApplications>): readonly LineActName[] => [
  ...(doubt ? ['confirm_application' as const] : []),
  'show_refusals',
  ...(from_file || secrets.length === 0
    ? []
    : [secrets.length > 1 ? ('drop_application_secret' as const) : ('add_application_secret' as const)]),
  ...(from_file ? [] : ['remove_application' as const]),
];

/** Since when something is in doubt, and because of whom. */
const detailsOfDoubt = ({ since, name, by }: NonNullable<Item<typeof listWebhooks>['doubt']>): readonly LineWords[] => [
  { id: 'console_service.doubted', when: since },
  name ?? by,
];

/** The text of a code; the code if it is of a newer server. */
const textOr = (texts: Readonly<Record<string, MessageId>>, code: string): LineWords =>
  texts[code] ? { id: texts[code] } : code;

const validUntil = (when: string | null): LineWords | null => when && { id: 'keys.until', when };

const suppressionReasons: Readonly<Record<string, MessageId>> = {
  no_such_address: 'console_service.no_such_address',
  complaint: 'console_service.complaint',
};

/** ISO 3166, as Intl names it. */
const unknownRegion = 'ZZ';

const settingSources = {
  environment: 'console_service.from_environment',
  file: 'console_service.from_file',
  default: 'console_service.from_default',
} as const;

/** Lists that are read often enough to be on a page, and rarely enough to share one. */
export const serviceLists: readonly ServiceList[] = [
  {
    name: 'emails',
    group: 'messages',
    label: 'account.emails',
    path: listEmails.path,
    role: 'support',
    async read(signal, cursor) {
      const { items, next } = await sendRequest(listEmails, { query: cursor ? { cursor } : {}, signal });
      const line = ({ id, notice, to, state, attempts, created_at: at, ...email }: Item<typeof listEmails>) => ({
        ...{ id, name: { notice }, state, details: [to, email.last_error], at, to: pageOfPerson(email.account_id) },
        ...(canRetry({ state, attempts }) && { acts: ['retry_email'] as const }),
      });
      return { items: items.map(line), next };
    },
  },
  {
    name: 'suppressed',
    group: 'messages',
    label: 'console_people.returned',
    path: listSuppressed.path,
    role: 'support',
    async read(signal, cursor) {
      const { items, next } = await sendRequest(listSuppressed, { query: cursor ? { cursor } : {}, signal });
      const line = ({ account_id: person, email, at, reason, told_by, detail }: Item<typeof listSuppressed>) => ({
        ...{
          id: `${email} ${at}`,
          name: email,
          at,
          to: pageOfPerson(person),
          who: person ?? email,
          acts: ['allow'] as const,
        },
        details: [textOr(suppressionReasons, reason), told_by, detail],
      });
      return { items: items.map(line), next };
    },
  },
  {
    name: 'calls',
    group: 'messages',
    label: 'console_timeline.calls',
    path: listCalls.path,
    role: 'support',
    async read(signal) {
      const { calls, budget } = await sendRequest(listCalls, { query: {}, signal });
      const page = whole(calls, ({ provider, way, country, asked, placed, confirmed }) => ({
        id: provider + way + country,
        name: { way },
        details: [
          { country: country === '??' ? unknownRegion : country },
          provider !== 'none' && provider,
          { id: 'console_service.calls', values: { asked, placed, confirmed } },
        ],
      }));
      return { ...page, lead: { id: 'console_service.budget', values: budget } };
    },
  },
  {
    name: 'webhooks',
    group: 'connections',
    label: 'console_service.webhooks',
    path: listDeliveries.path,
    role: 'support',
    async read(signal, cursor) {
      const { items, next } = await sendRequest(listDeliveries, { query: cursor ? { cursor } : {}, signal });
      const line = ({ id, type, receiver, state, attempts, at, last_error, account }: Item<typeof listDeliveries>) => ({
        ...{ id, name: type, state, details: [receiver, last_error], at, to: pageOfPerson(account) },
        ...(canRetry({ state, attempts }) && { acts: ['retry_webhook'] as const }),
      });
      return { items: items.map(line), next };
    },
  },
  {
    name: 'receivers',
    group: 'connections',
    label: 'console_service.receivers',
    path: listWebhooks.path,
    role: 'support',
    async read(signal) {
      const { items } = await sendRequest(listWebhooks, { signal });
      return whole(items, (one) => ({
        ...{ id: one.id, name: one.receiver, isOff: one.disabled_at !== null, acts: actsOnReceiver(one) },
        events: one.events,
        details: [
          ...(one.doubt
            ? detailsOfDoubt(one.doubt)
            : [one.disabled_at !== null && { id: 'console_webhooks.disabled' as const, when: one.disabled_at }]),
          one.from_file && 'WEBHOOKS_FILE',
          one.secrets > 1 && { id: 'console_webhooks.two_secrets' },
          ...one.events,
        ],
      }));
    },
  },
  {
    name: 'jobs',
    group: 'operation',
    label: 'console_service.jobs',
    path: listJobs.path,
    role: 'support',
    async read(signal, cursor) {
      const { items, next } = await sendRequest(listJobs, { query: cursor ? { cursor } : {}, signal });
      const line = ({ id, act, done, total, failed, stopped, actor, ...job }: Item<typeof listJobs>) => ({
        ...{ id, name: { id: actOf(act).label }, at: job.created_at, to: `/console/jobs/${id}/` },
        isOff: failed > 0 || stopped !== null,
        details: [
          { id: 'console_job.progress' as const, values: { done, total } },
          failed > 0 && { id: 'console_service.failed' as const, values: { count: failed } },
          stopped !== null && { id: 'console_job.stopped' as const },
          job.actor_name ?? actor,
        ],
      });
      return { items: items.map(line), next };
    },
  },
  {
    name: 'applications',
    group: 'connections',
    label: 'console_service.applications',
    path: listApplications.path,
    role: 'support',
    async read(signal) {
      const { items } = await sendRequest(listApplications, { signal });
      return whole(items, (one) => {
        const { client_id: id, client_name: name, redirect_uris, groups, from_file, doubt } = one;
        return {
          ...{ id, name, at: one.created_at, isOff: doubt !== null, acts: actsOnApplication(one) },
          details: [
            ...(doubt ? detailsOfDoubt(doubt) : []),
            ...[id, ...redirect_uris, ...groups, from_file && 'CLIENTS_FILE'],
            one.secrets.length > 1 && { id: 'console_webhooks.two_secrets' as const },
          ],
        };
      });
    },
  },
  {
    name: 'groups',
    group: 'connections',
    label: 'console_person.groups',
    path: listGroups.path,
    role: 'support',
    async read(signal) {
      const { items } = await sendRequest(listGroups, { signal });
      return whole(items, ({ name, members: count }) => ({
        ...{ id: name, name, details: [{ id: 'console_service.members', values: { count } }] },
      }));
    },
  },
  {
    name: 'promo-codes',
    group: 'operation',
    label: 'console_service.promo_codes',
    path: listPromoCodes.path,
    role: 'support',
    async read(signal, cursor) {
      const { items, next } = await sendRequest(listPromoCodes, { query: cursor ? { cursor } : {}, signal });
      const line = ({ code, used, uses_left: left, valid_until, created_at: at }: Item<typeof listPromoCodes>) => ({
        ...{ id: code, name: code, at },
        details: [
          { id: 'console_service.used' as const, values: { count: used } },
          left !== null && { id: 'console_service.left' as const, values: { count: left } },
          validUntil(valid_until),
        ],
      });
      return { items: items.map(line), next };
    },
  },
  {
    name: 'nodes',
    group: 'operation',
    label: 'console_service.nodes',
    path: listNodes.path,
    role: 'support',
    async read(signal) {
      const { items } = await sendRequest(listNodes, { signal });
      return whole(items, ({ name, version, seen_at: at }) => ({ id: name, name, details: [version], at }));
    },
  },
  {
    name: 'settings',
    group: 'operation',
    label: 'console_service.settings',
    path: listSettings.path,
    role: 'owner',
    async read(signal) {
      const { items } = await sendRequest(listSettings, { signal });
      const isSet = ({ from }: Item<typeof listSettings>) => from !== 'default';
      return whole(
        [...items.filter(isSet), ...items.filter((one) => !isSet(one))],
        ({ name, value, from, secret }) => ({
          ...{ id: name, name },
          details: [secret && from !== 'default' ? '••••••' : value, { id: settingSources[from] }],
        }),
      );
    },
  },
  {
    name: 'keys',
    group: 'operation',
    label: 'console_service.keys',
    path: listSigningKeys.path,
    role: 'owner',
    async read(signal) {
      const { items } = await sendRequest(listSigningKeys, { signal });
      return whole(items, ({ id, purpose, created_at: at, verifies_until }) => ({
        ...{ id, name: purpose, details: [id, validUntil(verifies_until)], at },
      }));
    },
  },
];

/** The list that an endpoint fills. */
export const listOf = (path: string): ServiceList | undefined => serviceLists.find((list) => list.path === path);
