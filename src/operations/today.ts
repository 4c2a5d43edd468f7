import { type ConcernCode, type ConcernParams, concerns as known } from '../contract/concerns.ts';
import { iso, minutes } from '../contract/units.ts';
import { countLocked } from '../store/access/lockouts.ts';
import { countChanges } from '../store/accounts/search-keys.ts';
import type { Store } from '../store/database.ts';
import { listNodes } from '../store/operators/nodes.ts';

/** What does not work as it should, with where an operator continues. */
interface Concern {
  readonly code: ConcernCode;
  readonly state: 'failed' | 'warning';
  readonly params: ConcernParams;
  /** One sentence in English, with what to do. */
  readonly text: string;
}

interface Asked {
  readonly store: Store;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What the doctor found. */
  readonly examined: {
    readonly at: number | undefined;
    readonly isRunning: boolean;
    readonly findings: readonly {
      readonly part: string;
      readonly state: 'ok' | Concern['state'];
      readonly says: string;
      readonly concern?: Pick<Concern, 'code' | 'params'>;
    }[];
  };
}

/** Everything that does not work, or may soon not work; nothing if all is well. */
export async function today({ store, now, examined }: Asked) {
  const concerns = [
    ...examined.findings.flatMap(({ part, state, says, concern }): Concern[] =>
      state === 'ok' || !concern ? [] : [{ ...concern, state, text: `${part}: ${says}` }],
    ),
    ...(await concernsOfNodes(store, now)),
    ...(await concernsOfGuesses(store, now)),
    ...(await concernsOfSearch(store)),
  ];
  return {
    examined_at: examined.at === undefined ? null : iso(examined.at),
    examining: examined.isRunning,
    items: concerns
      .toSorted((one, other) => Number(one.state === 'warning') - Number(other.state === 'warning'))
      .map((concern) => ({ ...concern, see: known[concern.code] })),
  };
}

/** Nodes report themselves twice a minute, and say when they stop. */
const missingAfter = minutes(2);

async function concernsOfNodes(store: Store, now: number): Promise<readonly Concern[]> {
  const nodes = await listNodes(store);
  const present = nodes.filter(({ seen_at }) => seen_at > now - missingAfter);
  const missing = nodes.filter((node) => !present.includes(node));
  const versions = [...new Set(present.map(({ version }) => version))];
  return [
    ...missing.map(({ name, seen_at }): Concern => {
      const since = iso(seen_at);
      const text = `The node ${name} has not been seen since ${since}, and did not say that it stops: look at its log.`;
      return { code: 'node_missing', state: 'warning', params: { node: name, since }, text };
    }),
    ...(versions.length > 1
      ? [
          {
            code: 'versions_differ',
            state: 'warning',
            params: { versions: versions.join(', ') },
            text: `Nodes run different versions: ${versions.join(', ')}. Update the others.`,
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
  return [{ code: 'guesses', state: 'warning', params: { count: locked }, text }];
}

/** A change is noted for a moment only. */
const manyChanges = 1000;

async function concernsOfSearch(store: Store): Promise<readonly Concern[]> {
  if ((await countChanges(store, manyChanges)) < manyChanges) return [];
  const text = 'Searches do not find all people yet: their search keys are still being written, as after an import.';
  return [{ code: 'search_incomplete', state: 'warning', params: {}, text }];
}
