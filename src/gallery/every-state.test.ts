import { expect, it } from 'vitest';
import { allPages } from '../site/all-pages.ts';
import { everyState } from './every-state.ts';

const sources = import.meta.glob<string>('../ui/**/*.tsx', { query: '?raw', import: 'default', eager: true });
const declares = (path: string) => path.endsWith('.states.tsx');
const components = Object.keys(sources).filter((path) => !declares(path));
const declared = Object.entries(sources).flatMap(([path, content]) => (declares(path) ? [content] : []));

it('every page has states that show its screen', () => {
  const shown = new Set(everyState.filter(({ state }) => !state.show).map(({ page }) => page));
  expect(allPages.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
});

it('every state belongs to an existing page', () => {
  const names = new Set(allPages.map(({ name }) => name));
  expect(everyState.filter(({ page }) => !names.has(page))).toEqual([]);
});

it('every component appears in a state, alone or inside another', () => {
  const fileOf = (path: string) => path.slice(path.lastIndexOf('/'));
  const uses = (content: string, path: string) => content.includes(`${fileOf(path)}'`);
  const shown = new Set(components.filter((path) => declared.some((content) => uses(content, path))));
  for (const path of shown) for (const part of components) if (uses(sources[path] as string, part)) shown.add(part);
  expect(components.length).toBeGreaterThan(20);
  expect(components.filter((path) => !shown.has(path))).toEqual([]);
});

it('every state has its own address', () => {
  const ids = everyState.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});
