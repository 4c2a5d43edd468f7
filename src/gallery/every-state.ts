import { type Theme, themes } from '../browser/platform/theme.ts';
import { defaultLanguage, type LanguageCode, languages } from '../contract/languages.ts';
import type { State, States } from './state.tsx';

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

/** The selection in the gallery, which is also its address. */
export interface Choice {
  readonly place: Place;
  readonly language: LanguageCode;
  readonly theme: Theme;
  /** CSS pixels; undefined uses the available width. */
  readonly width: number | undefined;
}

export const widths = [320, 390, 768, 1280, undefined] as const;

/** Reads an address; an unknown value becomes the default. */
export function readChoice(address: string): Choice {
  const { searchParams } = new URL(address);
  const [state, language, theme] = ['state', 'language', 'theme'].map((name) => searchParams.get(name));
  return {
    place: everyState.find(({ id }) => id === state) ?? (everyState[0] as Place),
    language: languages.find(({ code }) => code === language)?.code ?? defaultLanguage,
    theme: themes.find((one) => one === theme) ?? 'system',
    width: widths.find((width) => String(width) === searchParams.get('width')),
  };
}

/** The query of an address with a changed selection. */
export function queryOf({ place, language, theme, width }: Choice, change: Partial<Choice> = {}): string {
  const chosen = { state: (change.place ?? place).id, language, theme, width, ...change };
  const wanted = ['state', 'language', 'theme', 'width'] as const;
  return `?${new URLSearchParams(wanted.map((name) => [name, String(chosen[name])]))}`;
}
