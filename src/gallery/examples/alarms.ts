import { eachWarning } from '../../contract/computers/record-kinds.ts';
import type { Alarms, OwnRules } from '../../journeys/alarms/alarms.contract.ts';

type ComputerAlarms = Alarms['computers'][number];

/** The rules of an account whose owner has changed none. */
export const usualRules: OwnRules = { silent_after_minutes: 60, ...eachWarning(() => true) };
/** The rules of a tag or a computer that has its own. */
export const ownRules: OwnRules = { ...usualRules, silent_after_minutes: 180 };

/** The alarms of one computer. */
export const computerAlarms = (name: string, known: Partial<ComputerAlarms> = {}): ComputerAlarms => ({
  ...{ id: name, name, tags: [], rules: null, muted: false, muted_until: null },
  ...known,
});

export const alarms: Alarms = {
  ...usualRules,
  tags: [],
  email: false,
  email_confirmed: true,
  quiet_hours: null,
  time_zone: 'Europe/Berlin',
  computers: [computerAlarms('Front desk'), computerAlarms('Server')],
};
