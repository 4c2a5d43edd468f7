import { setupI18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { languageOf, languages } from '../../contract/languages.ts';
import { days, hours, minutes } from '../../contract/units.ts';
import { readCatalog } from '../../messages/catalog.ts';
import { Text, TextContext, textsOf, writeMessage } from './text.tsx';
import { timesIn } from './times.ts';

const id = 'hint.email_suggestion';
const messages = { [id]: compileMessage('Did you mean <use>{suggestion}</use>? Or <other>not</other>?') };

/** Renders the message with a value, and with an element for only one of its two tags. */
const write = (suggestion: string) => {
  const text = createElement(Text, { id, values: { suggestion }, tags: { use: createElement('em') } });
  return renderToStaticMarkup(createElement(TextContext, { value: textsOf('en', messages) }, text));
};

it.each([
  ['a tag becomes its element, and a tag without an element is text', 'a@b.example', 'a@b.example'],
  ['a tag in a value is text', '<b>x</b>', '&lt;b&gt;x&lt;/b&gt;'],
  ['a tag in a value is text even if it has an element', '<use>x</use>', '&lt;use&gt;x&lt;/use&gt;'],
  ['half a tag in a value is text', '</use>x<use>', '&lt;/use&gt;x&lt;use&gt;'],
  ['a value of another direction is isolated', '\u05d0\u05d1@c', '\u05d0\u05d1@c'],
])('%s', (_sentence, value, written) => {
  expect(write(value)).toBe(
    `Did you mean <em><bdi dir="ltr">${written}</bdi></em>? Or &lt;other&gt;not&lt;/other&gt;?`,
  );
});

const files = import.meta.glob<string>('../../messages/*.po', { query: '?raw', import: 'default', eager: true });
const numbers = [0, 1, 2, 3, 5, 11, 21, 100, 101, 1_000_000];

describe('formats every message as Lingui does', () => {
  it.each(languages.map(({ code }) => code))('in %s', (language) => {
    const { entries } = readCatalog(files[`../../messages/${language}.po`] as string);
    const locale = `${languageOf(language).tag}-u-nu-latn`;
    for (const { id, text } of entries) {
      const message = compileMessage(text);
      const lingui = setupI18n({ locale: language, locales: [locale], messages: { [language]: { [id]: message } } });
      for (const [number, hours] of numbers.flatMap((one) => [[one, 0] as const, [one, one] as const])) {
        const values = {
          min: number,
          max: number,
          minutes: number,
          hours,
          attempts: number,
          count: number,
          email: 'a@b.example',
          name: 'Ann',
          time: '4:59',
        };
        expect(writeMessage(message, { values, locale })).toBe(lingui._(id, values));
      }
    }
    expect(entries.length).toBeGreaterThan(100);
  });
});

describe('a message', () => {
  const write = (text: string, values = {}) => writeMessage(compileMessage(text), { values, locale: 'en' });

  it.each<[sentence: string, text: string, values: Record<string, string | number>, written: string]>([
    ['keeps # outside a plural', 'No. #{count}', { count: 1 }, 'No. #1'],
    ['prefers an exact number', '{n, plural, =0 {none} one {# piece} other {# pieces}}', { n: 0 }, 'none'],
    [
      'subtracts an offset',
      '{n, plural, offset:1 one {you and # more} other {you and # more}}',
      { n: 3 },
      'you and 2 more',
    ],
    ['chooses by a word', '{who, select, her {she} other {they}}', { who: 'her' }, 'she'],
    ['falls back to other', '{who, select, her {she} other {they}}', { who: 'x' }, 'they'],
    ['groups digits', '{n, plural, one {#} other {#}}', { n: 1234 }, '1,234'],
    ['omits a missing value', 'Hello {name}!', {}, 'Hello !'],
  ])('%s', (_sentence, text, values, written) => expect(write(text, values)).toBe(written));
});

const noon = Date.UTC(2024, 10, 28, 12);

it.each([
  ['ru', '28\u00a0нояб. 2024\u00a0г.'],
  ['uk', '28\u00a0лист. 2024\u00a0р.'],
  ['en-US', 'Nov 28, 2024'],
])('no line ends between a number and its word: %s', (locale, day) => {
  const times = timesIn(locale);
  expect(times.day(noon)).toBe(day);
  expect(times.when(noon)).not.toMatch(/\d \p{L}/u);
  expect(times.brief(noon)).not.toMatch(/\d \p{L}/u);
  expect(times.ago(minutes(5))).not.toMatch(/\d \p{L}/u);
  expect(times.duration(minutes(5))).not.toMatch(/\d \p{L}/u);
});

it.each([
  [0, '1\u00a0min'],
  [minutes(11.9), '11\u00a0min'],
  [minutes(119), '119\u00a0min'],
  [hours(2.9), '2\u00a0hr'],
  [hours(47), '47\u00a0hr'],
  [days(2), '2\u00a0days'],
])('a duration of %i ms has whole units, rounded down', (passed, written) => {
  expect(timesIn('en').duration(passed)).toBe(written);
});
