import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { upOnline } from '../../store/migrations/0020-alarm-rules.ts';
import { freshStore, usualEngines } from '../../testing/databases/databases.ts';
import { defaultAlarmRules } from '../contract/alarm-rules.ts';
import { alarmPlanOf } from './alarm-plans.ts';

test.each(usualEngines)(
  'the rules of former releases become one list, also if that is repeated, on %s',
  async (engine) => {
    const store = await freshStore(engine);
    const run = (text: string) => sql.raw(text).execute(store);
    for (const id of ['usual', 'own', 'muted'])
      await run(`insert into accounts (id, email, email_key, name, phone, locale, password_hash, password_changed_at, created_at)
      values ('${id}', '${id}', '${id}', 'Ada', '+49', 'en', 'hash', 1, 1)`);
    for (const id of ['a', 'b', 'c'])
      await run(`insert into computers (id, account_id, name, platform, token_hash, created_at, last_seen_at, signs)
      values ('${id}', '${id === 'c' ? 'muted' : 'own'}', '${id}', 'linux', '${id}', 1, 1, '')`);
    await run(`insert into alarm_rules (account_id, silent_after, disk_low, battery_low, by_email, quiet_from, quiet_until)
    values ('usual', 3600000, 1, 1, 1, null, null), ('own', 1800000, 1, 0, 0, 1320, 425)`);
    await run(`insert into alarm_tag_rules (account_id, tag_json, silent_after, disk_low, battery_low)
    values ('own', '"slow"', 7200000, 0, 0), ('own', '"quick \\"1\\""', 300000, 1, 0)`);
    await run(`insert into alarm_overrides (computer_id, account_id, silent_after, disk_low, battery_low, muted_until)
    values ('a', 'own', 3153600000000, 1, 0, 0), ('b', 'own', 3153600000000, null, 0, 9), ('c', 'muted', null, null, null, 7)`);
    for (let time = 0; time < 2; time += 1) await upOnline(store);
    for (const id of ['usual', 'muted'])
      expect(await alarmPlanOf(store, id)).toMatchObject({ rules: defaultAlarmRules, quiet: null });
    const { rules, quiet } = await alarmPlanOf(store, 'own');
    expect(quiet).toEqual({ from: '22:00', until: '07:05' });
    const silent = (after_minutes: number) => ({ event: 'silent', after_minutes });
    expect(rules).toMatchObject([
      { computers: ['a', 'b'], tags: [], by: 'none' },
      { tags: ['quick "1"'], when: silent(5), by: 'chosen', channels: ['push', 'sms', 'call'] },
      { tags: ['slow'], when: silent(120) },
      { tags: [], computers: [], when: silent(30), at_end: true, remind_hours: null },
      { computers: ['a', 'b'], when: { value: 'disk', limit: 5 }, by: 'chosen' },
      { tags: ['quick "1"'], by: 'chosen' },
      { tags: ['slow'], by: 'none' },
      { tags: [], computers: [], when: { value: 'disk' }, by: 'chosen' },
      { tags: [], computers: [], when: { value: 'battery', limit: 15 }, by: 'none' },
    ]);
    const mutes = await store.selectFrom('computers').select(['id', 'muted_until']).orderBy('id').execute();
    expect(mutes.map(({ muted_until }) => muted_until)).toEqual([0, 9, 7]);
  },
);
