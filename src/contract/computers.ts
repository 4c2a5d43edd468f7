import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { name, password } from './fields/fields.ts';
import { ownId } from './own-id.ts';
import { warnings } from './record-kinds.ts';

/** Quarters of an hour that a list tells of: a day. */
export const quartersTold = 96;

/** ISO 8601, UTC. */
const time = z.string();

const computer = z.object({
  id: z.string(),
  name: z.string(),
  /** As it says itself: `linux`, `Windows 11`, … */
  platform: z.string(),
  version: z.nullable(z.string()),
  created_at: time,
  last_seen_at: time,
  /** How long ago that was, in milliseconds by our clock: a browser's may be wrong. */
  silent_for: z.number(),
  /** A `1` for each quarter of an hour of the last day with a sign of life, else a `0`; the newest last. */
  signs: z.string(),
  /** What its records say that somebody should do something about. */
  warnings: z.array(z.enum(warnings)),
  /** Its newest record. */
  newest: z.nullable(z.object({ at: time, kind: z.string(), text: z.string() })),
});

export const listComputers = endpoint({
  method: 'GET',
  path: '/computers',
  summary: 'List the account’s computers and smartphones',
  auth: 'bearer',
  status: 200,
  answer: z.object({ computers: z.array(computer) }),
});

export const renameComputer = endpoint({
  method: 'PATCH',
  path: '/computers/:id',
  summary: 'Rename a computer',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  body: z.object({ name }),
  status: 200,
  answer: computer,
  failures: ['not_found'],
});

/** Its device token stops working at once, and what it reported is gone. */
export const removeComputer = endpoint({
  method: 'DELETE',
  path: '/computers/:id',
  summary: 'Remove a computer',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  status: 204,
  failures: ['not_found'],
});

/** What a session whose owner was not asked for the password in the last 15 minutes needs. */
export const passwordAgain = z.object({ password });

export const requestEnrolment = endpoint({
  method: 'POST',
  path: '/computers/enrolments',
  summary: 'Ask for a code that adds one computer',
  auth: 'bearer',
  /** Without a password where the session is new enough; where it is not, `password` is refused as `password_required`. */
  body: z.object({ password: z.optional(password) }),
  status: 201,
  answer: z.object({
    code: z.string(),
    /** Seconds. */
    expires_in: z.number(),
    /** For Linux and macOS. */
    command: z.string(),
    commands: z.object({ linux: z.string(), macos: z.string(), windows: z.string() }),
    /** What the QR code says: where, and behind the `#` with which code. */
    link: z.string(),
  }),
  failures: ['incorrect_password', 'too_many_attempts', 'too_many_requests'],
  fieldCodes: ['password_required'],
});

export const listRecords = endpoint({
  method: 'GET',
  path: '/computers/records',
  summary: 'List what computers reported, the newest first',
  auth: 'bearer',
  query: z.object({
    /** Only what is older than this record. */
    before: z.optional(ownId),
    computer: z.optional(ownId),
    kind: z.optional(ownId),
  }),
  status: 200,
  answer: z.object({
    records: z.array(z.object({ id: z.string(), computer: z.string(), at: time, kind: z.string(), text: z.string() })),
    /** What to ask for as `before` to get older ones; null when there are none. */
    next: z.nullable(z.string()),
  }),
});

export const listNotifications = endpoint({
  method: 'GET',
  path: '/account/notifications',
  summary: 'List what the account’s owner is to notice, the newest first',
  auth: 'bearer',
  status: 200,
  answer: z.object({
    notifications: z.array(
      z.object({
        id: z.string(),
        at: time,
        kind: z.enum(['computer_added', 'computer_removed']),
        /** The computer’s, as it was then. */
        name: z.string(),
        read: z.boolean(),
      }),
    ),
    unread: z.number(),
  }),
});

export const readAllNotifications = endpoint({
  method: 'POST',
  path: '/account/notifications/read',
  summary: 'Mark all notifications as read',
  auth: 'bearer',
  status: 204,
});

export const readNotification = endpoint({
  method: 'POST',
  path: '/account/notifications/:id/read',
  summary: 'Mark a notification as read',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  status: 204,
  failures: ['not_found'],
});

/** Server-sent events: `changed` says that something of the above is new, nothing else. */
export const computerEvents = endpoint({
  method: 'GET',
  path: '/computers/events',
  summary: 'Follow what changes, as server-sent events named `changed`',
  auth: 'bearer',
  status: 200,
});
