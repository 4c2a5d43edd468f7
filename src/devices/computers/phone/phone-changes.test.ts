import { expect, test } from 'vitest';
import { minutes } from '../../../contract/units.ts';
import { changesSince } from './phone-changes.part.ts';

const now = Date.UTC(2026, 10, 21);
const phone = { account: 'a', token: 't', seen: now - minutes(1), low: false, network: 'wifi' };
const reading = { battery: 80, charging: false, network: 'wifi' };
const start = 'start: The page was opened. Battery 80 %. Network: wifi.';

test.each([
  ['nothing new', {}, {}, []],
  ['after an absence', { seen: now - minutes(11) }, {}, [start]],
  ['for the first time', { seen: undefined }, {}, [start]],
  [
    'in an Apple browser',
    { seen: undefined },
    { battery: undefined, network: undefined },
    ['start: The page was opened.'],
  ],
  ['on another network', {}, { network: 'cellular' }, ['network_back: Network: cellular.']],
  ['with little power', {}, { battery: 15 }, ['battery_low: Battery 15 %.']],
  ['with little power but charging', {}, { battery: 15, charging: true }, []],
  ['charged again', { low: true }, { battery: 15, charging: true }, ['battery_enough: Battery 15 %, charging.']],
])('a phone reports changes: %s', (_, known, read, expected) => {
  const { records } = changesSince({ ...phone, ...known }, { ...reading, ...read }, now);
  expect(records.map(({ kind, text }) => `${kind}: ${text}`)).toEqual(expected);
});
