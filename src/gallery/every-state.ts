import type { State, States } from './state.ts';

/** A state and its place in the gallery. */
export interface Place {
  /** For addresses and file names: `sign-in/empty`. */
  readonly id: string;
  readonly of: string;
  readonly page: string;
  readonly name: string;
  readonly state: State;
}

const modules = import.meta.glob<readonly States[]>('../**/*.states.tsx', { import: 'states', eager: true });

const slug = (words: string) =>
  words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** Every declared state. */
export const everyState: readonly Place[] = Object.values(modules).flatMap((lists) =>
  lists.flatMap(({ of, page, states }) =>
    Object.entries(states).map(([name, state]) => ({ id: `${slug(of)}/${slug(name)}`, of, page, name, state })),
  ),
);
