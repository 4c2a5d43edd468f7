import * as z from 'zod/mini';
import { endpoint, named, ownId, pageLimit, position } from '../../contract/endpoint.ts';
import { name, password, tags, tagsText } from '../../contract/fields/fields.ts';
import { readTime } from '../../contract/fields/time.ts';
import { alarmKinds } from './alarm-kinds.ts';
import { readings, trends } from './readings.ts';
import { deviceKinds, offReasons, warnings } from './record-kinds.ts';

/** Quarter hours that a list covers: a day. */
export const quartersShown = 96;

/** ISO 8601, UTC. */
const time = z.string();

/** ISO 8601, from a client. */
const pointInTime = z
  .string({ error: 'not_understood' })
  .check(z.refine((text) => readTime(text) !== undefined, { error: 'not_understood' }));

const searched = z.string({ error: 'not_understood' }).check(z.maxLength(200, { error: 'not_understood' }));

export const computer = named(
  'Computer',
  z.object({
    id: z.string(),
    name: z.string(),
    /** A smartphone that is silent is asleep. */
    kind: z.enum(deviceKinds),
    /** The tags by which its owner groups devices. */
    tags: z.array(z.string()),
    platform: z.string(),
    version: z.nullable(z.string()),
    created_at: time,
    last_seen_at: time,
    silent_for: z.number(),
    silence: z.number(),
    /**
     * The device said goodbye, with this reason, or its off hours explain its absence; milliseconds until it announced
     * to be back, negative once overdue.
     */
    off: z.nullable(z.object({ reason: z.enum(offReasons), returns_in: z.nullable(z.number()) })),
    muted: z.boolean(),
    copied: z.boolean(),
    /**
     * One digit for each quarter of an hour of the last day: `1` if the device sent a signal, else `0`; the newest last. It
     * is shorter if the device was added since.
     */
    signs: z.string(),
    warnings: z.array(z.enum(warnings)),
    incidents: z.array(z.object({ id: z.string(), kind: z.enum(alarmKinds), acknowledged_at: z.nullable(time) })),
    newest: z.nullable(z.object({ at: time, kind: z.string(), text: z.string() })),
  }),
);

export const listComputers = endpoint({
  route: 'GET /computers',
  summary: 'List the account’s computers and smartphones',
  auth: 'bearer',
  response: z.object({
    computers: z.array(computer),
    settling: z.array(
      z.object({
        ...{ id: z.string(), kind: z.enum(alarmKinds), unstable: z.boolean() },
        ...{ first: z.string(), devices: z.number(), ends_at: time },
      }),
    ),
  }),
});

export const readComputer = endpoint({
  route: 'GET /computers/:id/history',
  summary: 'Read a computer and its heartbeats of the last 30 days',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  response: z.object({
    computer,
    /**
     * A digit in base 13 for each three hours of up to 30 days, divided in UTC: its quarter hours with a heartbeat. The
     * newest is last; it is shorter if less is known.
     */
    history: z.string(),
    /** Null if it said nothing about itself, as agents of other makers. */
    readings: z.nullable(readings),
    trends: z.nullable(trends),
    /** The time of this response by our clock. */
    at: time,
  }),
  failures: ['not_found'],
});

export const renameComputer = endpoint({
  route: 'PATCH /computers/:id',
  summary: 'Rename a computer',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  body: z.object({ name }),
  response: computer,
  failures: ['not_found'],
});

export const setComputerTags = endpoint({
  route: 'PUT /computers/:id/tags',
  summary: 'Set the tags of a computer',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  /** Replaces all tags: up to 10, with up to 30 characters each. */
  body: z.object({ tags }),
  response: computer,
  failures: ['not_found'],
});

/** The form on the device's page: the tags in one line, separated by commas. */
export const tagsForm = z.object({ tags: tagsText });

/** Revokes its device token immediately, and deletes its records. */
export const removeComputer = endpoint({
  route: 'DELETE /computers/:id',
  summary: 'Remove a computer',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  failures: ['not_found'],
});

export const record = named(
  'Record',
  z.object({ id: z.string(), computer: z.string(), at: time, kind: z.string(), text: z.string() }),
);

export const listRecords = endpoint({
  route: 'GET /computers/records',
  summary: 'List records of computers, newest first',
  auth: 'bearer',
  query: z.object({
    before: z.optional(position),
    computer: z.optional(ownId),
    kind: z.optional(ownId),
    find: z.optional(searched),
    kinds: z.optional(searched),
    since: z.optional(pointInTime),
    until: z.optional(pointInTime),
    limit: pageLimit({ usual: 50, max: 200 }),
  }),
  response: z.object({
    records: z.array(record),
    /** The next `before`, for older records; null if there are none. A page of a search may be shorter, even empty. */
    next: z.nullable(z.string()),
  }),
});

/** Kinds of notifications on the owner's dashboard. */
const notificationKinds = ['computer_added', 'computer_removed', ...alarmKinds, 'alarm_test'] as const;
export type NotificationKind = (typeof notificationKinds)[number];

export const listNotifications = endpoint({
  route: 'GET /account/notifications',
  summary: 'List the account’s notifications, newest first',
  auth: 'bearer',
  response: z.object({
    notifications: z.array(
      named(
        'Notification',
        z.object({
          id: z.string(),
          at: time,
          kind: z.enum(notificationKinds),
          name: z.string(),
          computer: z.nullable(z.string()),
          began_at: z.nullable(time),
          ended_at: z.nullable(time),
          read: z.boolean(),
        }),
      ),
    ),
    unread: z.number(),
  }),
});

export const readAllNotifications = endpoint({
  route: 'POST /account/notifications/read',
  summary: 'Mark all notifications as read',
  auth: 'bearer',
});

export const readNotification = endpoint({
  route: 'POST /account/notifications/:id/read',
  summary: 'Mark a notification as read',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  failures: ['not_found'],
});

/** Required if the session's owner has not entered the password in the last 15 minutes. */
export const passwordAgain = z.object({ password });

/** Terminal commands by system. */
export const commands = named('Commands', z.object({ linux: z.string(), macos: z.string(), windows: z.string() }));

export const requestEnrolment = endpoint({
  route: 'POST /computers/enrolments',
  summary: 'Request a code that adds one computer',
  auth: 'bearer',
  sensitive: 'or_password',
  /** A recent session needs no password; an older one without it gets the field code `password_required`. */
  body: z.object({ password: z.optional(password) }),
  status: 201,
  response: z.object({
    code: z.string(),
    /** Seconds. */
    expires_in: z.number(),
    command: z.string(),
    commands,
    undo: z.string(),
    needs_node: z.boolean(),
    link: z.string(),
  }),
  failures: ['incorrect_password', 'too_many_attempts', 'too_many_requests', 'computer_limit_reached'],
  fieldCodes: ['password_required'],
});
