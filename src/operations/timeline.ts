import type { WithParts } from '../access/account-part.ts';
import type { ActivityKind } from '../contract/activity.ts';
import type { TimelineKind, TimelineParams } from '../contract/console.ts';
import { iso } from '../contract/units.ts';
import { sha256 } from '../security/macs.ts';
import { failuresOf } from '../store/access/lockouts.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import { listActivity } from '../store/accounts/activity-log.ts';
import { deviceName } from '../store/browser-names.ts';
import { callsTo } from '../store/calls/phone-calls.ts';
import type { Store } from '../store/database.ts';
import { suppressedReason } from '../store/emails/outbox.ts';
import { pageOfEmails } from '../store/emails/outbox-review.ts';
import { listAuditEntries } from '../store/operators/audit-log.ts';
import { actorNames, masked } from './operation.ts';

/** One thing that happened to an account. */
interface Line {
  /** Of the stored row. */
  readonly id: string;
  readonly at: number;
  readonly kind: TimelineKind;
  /** What happened: a kind of activity, the notice of an email, the method of a call, an alarm, an action. */
  readonly code: string;
  /** How it ended, or in whose words it failed. */
  readonly outcome?: string | null;
  /** The same in parts, for a sentence in any language. */
  readonly params?: TimelineParams;
  readonly ip?: string;
  readonly device?: string;
  /** Of an operator. */
  readonly actor?: string;
  readonly actorName?: string | null;
  readonly reason?: string | null;
}

interface Page {
  /** Only lines older than the row with this id. */
  readonly before: string | undefined;
  readonly limit: number;
}

interface Asked extends WithParts {
  readonly store: Store;
  readonly account: AccountsTable;
  readonly kind?: TimelineKind | undefined;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** The stored rows of one table about an account, the newest first. */
interface Source {
  readonly kinds: readonly TimelineKind[];
  read(page: Page): Promise<readonly Line[]>;
}

/** A page of everything that happened, the newest first. Throws a `RangeError` if the cursor is not one of ours. */
export async function timeline(asked: Asked) {
  const { kind, cursor, limit } = asked;
  const sources = sourcesOf(asked);
  const last = cursor === undefined ? [] : readCursor(cursor, sources.length);
  const read = await Promise.all(
    sources.map(async ({ kinds, read }, at) => {
      const isWanted = kind === undefined || kinds.includes(kind);
      return isWanted ? read({ before: last[at] || undefined, limit: limit + 1 }) : [];
    }),
  );
  // Each table keeps its own order, also if a clock was set back.
  const lines = read.flatMap((rows, at) => rows.map((line) => ({ line, at })));
  const page = lines.toSorted((one, other) => other.line.at - one.line.at).slice(0, limit);
  const reached = sources.map((_, at) => page.findLast((one) => one.at === at)?.line.id ?? last[at] ?? '');
  return {
    items: page.map(({ line }) => describe(line)),
    next: lines.length > page.length ? Buffer.from(reached.join('\n')).toString('base64url') : null,
  };
}

const describe = ({ id, at, kind, code, outcome, params, ip, device, actor, actorName, reason }: Line) => ({
  ...{ id, at: iso(at), kind, code, outcome: outcome ?? null, params: params ?? {} },
  ...{ ip: ip ?? null, device: device ?? null, actor: actor ?? null },
  ...{ actor_name: actorName ?? null, reason: reason ?? null },
});

function readCursor(cursor: string, count: number): readonly string[] {
  const reached = Buffer.from(cursor, 'base64url').toString().split('\n');
  if (reached.length !== count || reached.some((id) => !/^[\w-]{0,64}$/.test(id)))
    throw new RangeError('not a cursor of this list');
  return reached;
}

const sourcesOf = ({ store, parts, account, kind }: Asked): readonly Source[] => {
  const { id: accountId, email_key, phone } = account;
  return [
    {
      kinds: ['sign_ins', 'refusals', 'changes'],
      read: async (page) => {
        const rows = await listActivity(store, { accountId, ...activityFilter(kind), ...page });
        return rows.map(({ id, at, kind, ip, user_agent }) => ({
          ...{ id, at, kind: kindOf(kind), code: kind, ip, device: deviceName(user_agent) },
        }));
      },
    },
    {
      kinds: ['refusals'],
      read: async ({ before }) => {
        const rows = await failuresOf(store, { emailHash: sha256(email_key), accountId });
        const lines = rows.map(({ of, on, at, failures }) => ({
          ...({
            id: `${of}-${on}`,
            at,
            kind: 'refusals',
            code: `wrong_${of}`,
            outcome: `${failures} wrong, ${on}`,
            params: { count: failures, on },
          } as const),
        }));
        return lines.slice(lines.findIndex(({ id }) => id === before) + 1);
      },
    },
    {
      kinds: ['emails'],
      read: async ({ before, limit }) =>
        (await pageOfEmails(store, { accountId, after: before, limit })).map((email) => ({
          id: email.id,
          at: email.created_at,
          kind: 'emails',
          code: email.notice,
          ...outcomeOf(email),
        })),
    },
    {
      kinds: ['calls'],
      read: async (page) =>
        phone === ''
          ? []
          : (await callsTo(store, { phone, ...page })).map(({ id, created_at, way, state, provider }) => ({
              ...{ id, at: created_at, kind: 'calls', code: way, outcome: provider ? `${state} (${provider})` : state },
              params: { state, ...(provider && { words: provider }) },
            })),
    },
    {
      kinds: ['operators'],
      read: async ({ before, limit }) => {
        const entries = await listAuditEntries(store, { accountId, before, without: looks, max: limit });
        const nameOf = await actorNames(store, entries);
        return entries.map((entry) => ({
          ...({ id: entry.id, at: entry.at, kind: 'operators', code: entry.action } as const),
          ...{ actor: entry.actor, actorName: nameOf(entry), reason: entry.reason },
        }));
      },
    },
    ...parts.map(
      (part): Source => ({
        kinds: ['alarms'],
        read: async (page) =>
          (await part.happened(store, { accountId, ...page })).map((line) => ({ ...line, kind: 'alarms' })),
      }),
    ),
  ];
};

/** The audit log has them, and here they would hide what operators did. */
const looks = ['accounts_found', 'account_viewed', 'devices_viewed'] as const;

/** The activities that are not changes of the account; all others are. */
const activitiesOf = {
  sign_ins: [
    ...(['registered', 'signed_in', 'signed_out', 'session_ended', 'sessions_ended', 'device_let_in'] as const),
    ...(['recovery_code_used', 'refresh_adopted', 'app_connected'] as const),
  ],
  refusals: ['refresh_reused', 'refresh_repeated', 'app_reused', 'passkey_copied'],
} as const satisfies Partial<Record<TimelineKind, readonly ActivityKind[]>>;

const kindOf = (activity: ActivityKind): TimelineKind =>
  (['sign_ins', 'refusals'] as const).find((kind) => activitiesOf[kind].some((one) => one === activity)) ?? 'changes';

function activityFilter(kind: TimelineKind | undefined) {
  if (kind === 'sign_ins' || kind === 'refusals') return { kinds: activitiesOf[kind] };
  return kind === 'changes' ? { without: Object.values(activitiesOf).flat() } : {};
}

type Email = Awaited<ReturnType<typeof pageOfEmails>>[number];

function outcomeOf({ due_at, sent_at, gave_up_at, last_error, recipient }: Email): Pick<Line, 'outcome' | 'params'> {
  if (gave_up_at !== null && last_error === suppressedReason)
    return { outcome: 'held back', params: { state: 'held_back' } };
  const unsent = gave_up_at === null ? 'waits' : 'given_up';
  const state = sent_at === null ? unsent : 'sent';
  const words = last_error?.replaceAll(recipient, masked(recipient));
  return {
    outcome: `${state.replace('_', ' ')}${words ? `: ${words}` : ''}`,
    params: { state, ...(state === 'waits' && { until: iso(due_at) }), ...(words && { words }) },
  };
}
