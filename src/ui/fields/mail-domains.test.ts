import { expect, test } from 'vitest';
import { mistakes, suggestAddress } from './mail-domains.ts';

test.each([
  ['ada@gmial.com', 'ada@gmail.com'],
  ['ada@gmail.con', 'ada@gmail.com'],
  ['ada@gmail.co', 'ada@gmail.com'],
  ['ada@GMAIL.CMO', 'ada@gmail.com'],
  ['Ada@hotmial.con', 'Ada@hotmail.com'],
  ['ada@gmial.con', 'ada@gmail.com'],
  ['ada@gmial.com.br', undefined],
  ['ada@yaho.com.tr', 'ada@yahoo.com.tr'],
  ['ada@hotmail.gr', undefined],
  ['ada@hotmail.rs', undefined],
  ['ada@yahoo.com.tr', undefined],
  ['ada@yahoo.com.pe', undefined],
  ['ada@yahoo.co', 'ada@yahoo.com'],
  ['ada@gmail.ru', undefined],
  ['ada@gmx.de', undefined],
  ['ada@gmx.con', 'ada@gmx.com'],
  ['ada@mail.gr', undefined],
  ['ada@company.com', undefined],
  ['ada@constructor.com', undefined],
  ['ada@hotmal.om', undefined],
  ['ada@outlok.com', 'ada@outlook.com'],
  ['ada@otlok.com', 'ada@outlook.com'],
  ['ada@yandx.ru', 'ada@yandex.ru'],
  ['a@b@gmial.com', 'a@b@gmail.com'],
  ['ada@gmail.com', undefined],
  ['ada@mail.com', undefined],
  ['ada@ymail.com', undefined],
  ['ada@outlook.cz', undefined],
  ['ada@example.org', undefined],
  ['gmial.com', undefined],
  ['', undefined],
])('for %s the suggestion is %s', (typed, meant) => expect(suggestAddress(typed)).toBe(meant));

test.each([
  ['', '', 0],
  ['ab', 'ba', 1],
  ['abc', 'ab', 1],
  ['abc', 'axc', 1],
  ['kitten', 'sitting', 3],
])('the distance between "%s" and "%s" is %d', (a, b, count) => expect(mistakes(a, b)).toBe(count));
