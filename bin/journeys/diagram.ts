import { inWords, type Lead, lastPlace } from './leads.ts';
import type { Drawn } from './read-pages.ts';
import { inSentence } from './steps.ts';

/** The name of a state in Mermaid's own language. */
const idOf = (path: string): string =>
  path
    .replace(/[^a-z0-9]+/gi, '_')
    .replace(/^_|_$/g, '')
    .replace(/^(?=\d|$)/, 'page_');

/** Without what means something else in a label. */
const label = (text: string): string =>
  text
    .replace(/[:;#"{}]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const byTarget = (leads: readonly Lead[]): [to: string, events: string][] =>
  [...Map.groupBy(leads, ({ to }) => to)].map(([to, these]) => [
    to,
    [...new Map(these.map(({ event }) => [event.toLowerCase(), label(event)])).values()].join(' / '),
  ]);

const diagram = (lines: readonly string[]): string =>
  ['```mermaid', 'stateDiagram-v2', ...lines.map((line) => `  ${line}`), '```'].join('\n');

/** From page to page: links, what happens by itself, and guards. */
export const mapOf = (pages: readonly Drawn[]): string =>
  diagram([
    ...pages.map(({ path, title }) => `state "${label(title)} (${path})" as ${idOf(path)}`),
    `state "The last place" as ${idOf(lastPlace)}`,
    ...pages.flatMap(({ path, leads, guards }) =>
      byTarget([...leads, ...guards]).map(([to, events]) => `${idOf(path)} --> ${idOf(to)} : ${events}`),
    ),
  ]);

/** What a screen shows under which condition, and how that changes; undefined where it is always the same. */
export function stepsDiagram(page: Drawn): string | undefined {
  const lines = insideOf(page.root, page, []);
  return lines.length > 0 ? diagram(lines) : undefined;
}

/** Only what the journeys themselves declare is a step: a notice or a button is none. */
function insideOf(component: string, page: Drawn, path: readonly string[]): string[] {
  const idIn = (shows: string) => [...path, shows].map(idOf).join('_');
  const declared = new Set(page.steps.map(({ within }) => within));
  const here = page.steps.filter(
    ({ within, shows }) => within === component && declared.has(shows) && !path.includes(shows),
  );
  const shown = here.flatMap(({ shows, conditions, requests }) => {
    const deeper = insideOf(shows, page, [...path, shows]);
    if (conditions.length === 0) return deeper;
    const state = `state "${inWords(shows)}" as ${idIn(shows)}`;
    const inner = deeper.length > 0 ? [`${state} {`, ...deeper.map((line) => `  ${line}`), '}'] : [state];
    return [...inner, `[*] --> ${idIn(shows)} : ${label(inSentence(conditions, requests))}`];
  });
  const moves = page.moves
    .filter(({ within }) => within === component)
    .map(({ from, to, event }) => `${idIn(from)} --> ${idIn(to)} : ${label(event)}`);
  return [...shown, ...new Set(moves)];
}
