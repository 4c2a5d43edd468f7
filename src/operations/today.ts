import { type ConcernCode, codesOfParts, type ExaminedPart } from '../contract/concerns.ts';
import { iso, minutes } from '../contract/units.ts';
import { countLocked } from '../store/access/lockouts.ts';
import { countChanges } from '../store/accounts/search-keys.ts';
import type { Store } from '../store/database.ts';
import { listNodes } from '../store/operators/nodes.ts';

/** What does not work as it should, with where an operator continues. */
interface Concern {
  readonly code: ConcernCode;
  readonly state: 'failed' | 'warning';
  /** Values of its sentence: times are in `since`, and `words` are those of the doctor. */
  readonly params: Readonly<Record<string, string | number>>;
  /** One sentence in English, with what to do. */
  readonly text: string;
  /** The list of this API that says more; null if none does. */
  readonly see: string | null;
}

interface Asked {
  readonly store: Store;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What the doctor found. */
  readonly examined: {
    readonly at: number | undefined;
    readonly findings: readonly { readonly part: ExaminedPart; readonly state: string; readonly says: string }[];
  };
}

/** Everything that does not work, or may soon not work; nothing if all is well. */
export async function today({ store, now, examined }: Asked) {
  const concerns = [
    ...examined.findings.flatMap(({ part, state, says }): Concern[] => {
      if (state !== 'failed' && state !== 'warning') return [];
      const { code, params } = codeOf(part);
      return [{ code, state, params: { ...params, words: says }, text: `${part}: ${says}`, see: seeFor(part) }];
    }),
    ...(await concernsOfNodes(store, now)),
    ...(await concernsOfGuesses(store, now)),
    ...(await concernsOfSearch(store)),
  ];
  return {
    examined_at: examined.at === undefined ? null : iso(examined.at),
    items: concerns.toSorted((one, other) => Number(one.state === 'warning') - Number(other.state === 'warning')),
  };
}

function codeOf(part: ExaminedPart): Pick<Concern, 'code' | 'params'> {
  const [, about, name = ''] = /^(calls|mail): (.*)$/.exec(part) ?? /^(calls to) (.*)$/.exec(part) ?? [];
  if (about === 'calls') return { code: 'call_provider', params: { provider: name } };
  if (about === 'calls to') return { code: 'calls_to', params: { country: name } };
  if (about === 'mail') return { code: 'mail_record', params: { record: name } };
  return { code: codesOfParts[part as keyof typeof codesOfParts], params: {} };
}

const lists: readonly (readonly [RegExp, string])[] = [
  [/^(?:outbox|email|domain)/, '/operators/emails'],
  [/^bounces/, '/operators/suppressed'],
  [/^call/, '/operators/calls'],
  [/^webhooks/, '/operators/webhooks'],
  [/^keys/, '/operators/keys'],
  [/^applications/, '/operators/applications'],
  [/^settings/, '/operators/settings'],
];

const seeFor = (part: string): string | null => lists.find(([pattern]) => pattern.test(part))?.[1] ?? null;

/** Nodes report themselves twice a minute, and say when they stop. */
const missingAfter = minutes(2);

async function concernsOfNodes(store: Store, now: number): Promise<readonly Concern[]> {
  const nodes = await listNodes(store);
  const present = nodes.filter(({ seen_at }) => seen_at > now - missingAfter);
  const missing = nodes.filter((node) => !present.includes(node));
  const versions = [...new Set(present.map(({ version }) => version))];
  const see = '/operators/nodes';
  return [
    ...missing.map(({ name, seen_at }): Concern => {
      const since = iso(seen_at);
      const text = `The node ${name} has not been seen since ${since}, and did not say that it stops: look at its log.`;
      return { code: 'node_missing', state: 'warning', params: { node: name, since }, text, see };
    }),
    ...(versions.length > 1
      ? [
          {
            code: 'versions_differ',
            state: 'warning',
            params: { versions: versions.join(', ') },
            text: `Nodes run different versions: ${versions.join(', ')}. Update the others.`,
            see,
          } as const,
        ]
      : []),
  ];
}

/** Fewer are people who forgot their passwords. */
const manyLocked = 20;
const countedAtMost = 10_000;

async function concernsOfGuesses(store: Store, now: number): Promise<readonly Concern[]> {
  const locked = await countLocked(store, { now, max: countedAtMost });
  if (locked < manyLocked) return [];
  const count = locked === countedAtMost ? `${countedAtMost} or more` : locked;
  const text = `Someone guesses passwords: wrong ones lock ${count} addresses and devices now. They unlock by themselves.`;
  return [{ code: 'guesses', state: 'warning', params: { count: locked }, text, see: null }];
}

/** A change is noted for a moment only. */
const manyChanges = 1000;

async function concernsOfSearch(store: Store): Promise<readonly Concern[]> {
  if ((await countChanges(store, manyChanges)) < manyChanges) return [];
  const text = 'Searches do not find all people yet: their search keys are still being written, as after an import.';
  return [{ code: 'search_incomplete', state: 'warning', params: {}, text, see: null }];
}
