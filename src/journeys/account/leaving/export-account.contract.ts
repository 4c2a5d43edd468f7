import * as z from 'zod/mini';
import { consentGiven, profileDetails } from '../../../contract/account.ts';
import { endpoint } from '../../../contract/endpoint.ts';
import { exportedPasskeys } from '../../../contract/sign-in/web-authn.ts';

const text = z.string();
const time = z.string();
const timeOrNull = z.nullable(time);

/** Other wings add their parts to the response (`exportWith`). */
export const exportAccount = endpoint({
  route: 'GET /account/export',
  summary: 'Export everything stored about the account',
  auth: 'bearer',
  sensitive: true,
  response: z.object({
    format: z.literal(1),
    exported_at: time,
    account: z.object({
      id: text,
      name: text,
      email: text,
      email_proven_at: timeOrNull,
      email_unreachable_since: timeOrNull,
      phone: text,
      phone_confirmed_at: timeOrNull,
      ...profileDetails,
      promo_code: z.nullable(text),
      locale: text,
      db_type: z.nullable(text),
      time_zone: z.nullable(text),
      last_place: z.nullable(text),
      password_changed_at: time,
      created_at: time,
      mail_new_device: z.boolean(),
      delete_at: timeOrNull,
      locked_at: timeOrNull,
      second_step_at: timeOrNull,
      second_step_removal_at: timeOrNull,
      recovery_codes_left: z.number(),
    }),
    consents: z.array(consentGiven),
    sessions: z.array(
      z.object({
        created_at: time,
        last_seen_at: time,
        expires_at: time,
        ended_at: timeOrNull,
        end_reason: z.nullable(text),
        ip: text,
        user_agent: text,
        amr: z.array(text),
        acr: text,
      }),
    ),
    devices: z.array(
      z.object({
        created_at: time,
        last_seen_at: time,
        ip: z.nullable(text),
        user_agent: z.nullable(text),
        remembered_until: timeOrNull,
      }),
    ),
    passkeys: exportedPasskeys,
    activity: z.array(z.object({ at: time, kind: text, ip: text, user_agent: text })),
    notes: z.array(z.object({ at: time, text })),
    groups: z.array(text),
    connected_apps: z.array(
      z.object({
        name: text,
        scopes: z.array(text),
        /** The scopes of each API. */ apis: z.record(text, text),
        connected_at: time,
        last_used_at: time,
      }),
    ),
    emails: z.array(z.object({ notice: text, recipient: text, created_at: time, sent_at: timeOrNull })),
  }),
  failures: ['too_many_requests'],
});

/** The endpoint with what other wings export. Must match `docs/account-export.schema.json`; a test compares them. */
export const exportWith = (parts: readonly { readonly exports: { readonly shape: ExportedShape } }[]) => ({
  ...exportAccount,
  response: z.extend(exportAccount.response, Object.assign({}, ...parts.map(({ exports }) => exports.shape))),
});

type ExportedShape = Readonly<Record<string, z.ZodMiniType>>;
