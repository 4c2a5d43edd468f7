import type { Sent } from '../../../../browser/requests/send.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { Endpoint, ResponseBody } from '../../../../contract/endpoint.ts';
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
import type { Application } from './application-form.part.tsx';

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
  readonly application?: Application;
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
  | 'change_application'
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

interface Lines<One> {
  readonly items: readonly One[];
  readonly next?: string | null;
}

interface Listed<E> extends Pick<ServiceList, 'name' | 'group' | 'label'> {
  readonly endpoint: E;
  readonly line: (one: Item<E>) => ServiceLine;
  /** Which of them begin the list. */
  readonly first?: (one: Item<E>) => boolean;
}

/** Whether something was given up, or waits for its next attempt. */
const canRetry = ({ state, last_error }: { readonly state: string; readonly last_error: string | null }): boolean =>
  state === 'given_up' || (state === 'queued' && last_error !== null);

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
const actsOnApplication = ({ doubt, from_file, secrets }: Application): readonly LineActName[] => [
  ...(doubt ? ['confirm_application' as const] : []),
  'show_refusals',
  ...(from_file ? [] : ['change_application' as const]),
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

/** A list whose endpoint returns lines, as a whole or page by page. */
function list<E extends Endpoint & { readonly role: OperatorRole }>({ endpoint, line, first, ...about }: Listed<E>) {
  return {
    ...about,
    ...{ path: endpoint.path, role: endpoint.role },
    async read(signal: AbortSignal, cursor: string | undefined): Promise<LinesPage> {
      const sent = { query: cursor ? { cursor } : {}, signal } as unknown as Sent<E>;
      const read: unknown = await sendRequest(endpoint, sent);
      const { items, next = null } = read as Lines<Item<E>>;
      const sorted = first ? [...items.filter(first), ...items.filter((one) => !first(one))] : items;
      return { items: sorted.map(line), next };
    },
  };
}

/** Lists that are read often enough to be on a page, and rarely enough to share one. */
export const serviceLists: readonly ServiceList[] = [
  list({
    name: 'emails',
    group: 'messages',
    label: 'account.emails',
    endpoint: listEmails,
    line: ({ id, notice, to, state, created_at: at, last_error, account_id }) => ({
      ...{ id, name: { notice }, state, details: [to, last_error], at, to: pageOfPerson(account_id) },
      ...(canRetry({ state, last_error }) && { acts: ['retry_email'] }),
    }),
  }),
  list({
    name: 'suppressed',
    group: 'messages',
    label: 'console_people.returned',
    endpoint: listSuppressed,
    line: ({ account_id: person, email, at, reason, told_by, detail }) => ({
      ...{ id: `${email} ${at}`, name: email, at, to: pageOfPerson(person), who: person ?? email, acts: ['allow'] },
      details: [textOr(suppressionReasons, reason), told_by, detail],
    }),
  }),
  {
    name: 'calls',
    group: 'messages',
    label: 'console_timeline.calls',
    path: listCalls.path,
    role: listCalls.role,
    async read(signal) {
      const { calls, budget } = await sendRequest(listCalls, { query: {}, signal });
      const items = calls.map(({ provider, way, country, asked, placed, confirmed }) => ({
        id: provider + way + country,
        name: { way },
        details: [
          { country: country === '??' ? unknownRegion : country },
          provider !== 'none' && provider,
          { id: 'console_service.calls' as const, values: { asked, placed, confirmed } },
        ],
      }));
      return { lead: { id: 'console_service.budget', values: budget }, items, next: null };
    },
  },
  list({
    name: 'webhooks',
    group: 'connections',
    label: 'console_service.webhooks',
    endpoint: listDeliveries,
    line: ({ id, type, receiver, state, at, last_error, account }) => ({
      ...{ id, name: type, state, details: [receiver, last_error], at, to: pageOfPerson(account) },
      ...(canRetry({ state, last_error }) && { acts: ['retry_webhook'] }),
    }),
  }),
  list({
    name: 'receivers',
    group: 'connections',
    label: 'console_service.receivers',
    endpoint: listWebhooks,
    line: (one) => ({
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
    }),
  }),
  list({
    name: 'applications',
    group: 'connections',
    label: 'console_service.applications',
    endpoint: listApplications,
    line: (one) => ({
      ...{ id: one.client_id, name: one.client_name, at: one.created_at, application: one },
      ...{ isOff: one.doubt !== null, acts: actsOnApplication(one) },
      details: [
        ...(one.doubt ? detailsOfDoubt(one.doubt) : []),
        ...[one.client_id, ...one.redirect_uris, ...one.groups],
        one.from_file && 'CLIENTS_FILE',
        one.secrets.length > 1 && { id: 'console_webhooks.two_secrets' },
      ],
    }),
  }),
  list({
    name: 'groups',
    group: 'connections',
    label: 'console_person.groups',
    endpoint: listGroups,
    line: ({ name, members: count }) => ({
      ...{ id: name, name, details: [{ id: 'console_service.members', values: { count } }] },
    }),
  }),
  list({
    name: 'jobs',
    group: 'operation',
    label: 'console_service.jobs',
    endpoint: listJobs,
    line: ({ id, act, done, total, failed, stopped, actor, actor_name, created_at: at }) => ({
      ...{ id, name: { id: actOf(act).label }, at, to: `/console/jobs/${id}/` },
      isOff: failed > 0 || stopped !== null,
      details: [
        { id: 'console_job.progress', values: { done, total } },
        failed > 0 && { id: 'console_service.failed', values: { count: failed } },
        stopped !== null && { id: 'console_job.stopped' },
        actor_name ?? actor,
      ],
    }),
  }),
  list({
    name: 'promo-codes',
    group: 'operation',
    label: 'console_service.promo_codes',
    endpoint: listPromoCodes,
    line: ({ code, used, uses_left: left, valid_until, created_at: at }) => ({
      ...{ id: code, name: code, at },
      details: [
        { id: 'console_service.used', values: { count: used } },
        left !== null && { id: 'console_service.left', values: { count: left } },
        validUntil(valid_until),
      ],
    }),
  }),
  list({
    name: 'nodes',
    group: 'operation',
    label: 'console_service.nodes',
    endpoint: listNodes,
    line: ({ name, version, seen_at: at }) => ({ id: name, name, details: [version], at }),
  }),
  list({
    name: 'settings',
    group: 'operation',
    label: 'console_service.settings',
    endpoint: listSettings,
    first: ({ from }) => from !== 'default',
    line: ({ name, value, from, secret }) => ({
      ...{ id: name, name },
      details: [secret && from !== 'default' ? '••••••' : value, { id: settingSources[from] }],
    }),
  }),
  list({
    name: 'keys',
    group: 'operation',
    label: 'console_service.keys',
    endpoint: listSigningKeys,
    line: ({ id, purpose, created_at: at, verifies_until }) => ({
      ...{ id, name: purpose, details: [id, validUntil(verifies_until)], at },
    }),
  }),
];

/** The list that an endpoint fills. */
export const listOf = (path: string): ServiceList | undefined => serviceLists.find((list) => list.path === path);
