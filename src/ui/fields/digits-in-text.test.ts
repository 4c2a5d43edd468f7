import { expect, test } from 'vitest';
import { digitsInText } from './digits-in-text.ts';

test.each<[string, readonly number[], string | undefined]>([
  ['123456 is your confirmation code for Vestibule.\n\n@door.example #123456', [6], '123456'],
  ['Code Vestibule 2026: 123 456', [6], '123456'],
  ['Ihr Code: 654-321.', [6, 4], '654321'],
  ['Vestibule-kód: ９８７６５４', [6], '987654'],
  ['call me at 10:30, code 4083', [4], '4083'],
  ['Missed call from +1 202 555 0147', [4], '12025550147'],
  ['order 12345678, code 4083, in 2026', [6], undefined],
  ['@door.example #1234', [6], undefined],
  ['no digits at all', [6], undefined],
  ['123456', [6], undefined],
  ['+1 (202) 555-0147', [4], undefined],
  [`${'a '.repeat(100_000)}123456`, [6], undefined],
])('in %j with %j digits the code is %j', (text, lengths, digits) => expect(digitsInText(text, lengths)).toBe(digits));
