import { readAccount } from '../../contract/account.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { answers } from '../replies.ts';

const at = '2026-01-01T00:00:00Z';

/** The account in the states, by default. */
export const anna: ResponseBody<typeof readAccount> = {
  id: 'a',
  name: 'Anna Berg',
  email: 'anna@example.com',
  email_confirmed: true,
  phone: '+12025550147',
  phone_written: '+1 202 555 0147',
  phone_confirmed: true,
  organization: 'Acme',
  inn: null,
  locale: 'en',
  created_at: at,
  consents: [
    { kind: 'personal_data', given: true, version: 1, document: 'https://example.com/privacy', locale: 'en', at },
    { kind: 'terms', given: true, version: 1, document: 'https://example.com/terms', locale: 'en', at },
  ],
  mail_new_device: true,
  password_changed_at: at,
};

/** The reply with Anna’s account, or with one that differs from it. */
export const accountOf = (known: Partial<typeof anna> = {}) => answers(readAccount, { ...anna, ...known });
export const account = accountOf();
