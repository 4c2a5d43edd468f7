import { defaultLanguage, type LanguageCode, languages } from '../contract/languages.ts';
import { everyState, type Place } from './every-state.ts';

/** The selection in the gallery, which is also its address. */
export interface Choice {
  readonly place: Place;
  readonly language: LanguageCode;
  readonly theme: 'system' | 'light' | 'dark';
  /** CSS pixels; undefined uses the available width. */
  readonly width: number | undefined;
}

export const themes = ['system', 'light', 'dark'] as const;
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
