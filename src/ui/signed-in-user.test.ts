import { expect, it } from 'vitest';
import { initialsOf } from './signed-in-user.tsx';

it.each([
  ['Anna Berg', 'AB'],
  ['anna-katharina maria berg', 'AB'],
  ['Ада Лавлейс', 'АЛ'],
  ['Madonna', 'M'],
  ['ليلى بنت عبد الله', 'ل'],
  ['山田 花子', '山'],
  ['  ', ''],
])('the initials of “%s” are “%s”', (name, initials) => expect(initialsOf(name)).toBe(initials));
