import * as z from 'zod/mini';
import { endpoint } from '../endpoint.ts';
import { password } from '../fields/fields.ts';

/** Required if the session's owner has not entered the password in the last 15 minutes. */
export const passwordAgain = z.object({ password });

export const requestEnrolment = endpoint({
  method: 'POST',
  path: '/computers/enrolments',
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
    /** For Linux and macOS. */
    command: z.string(),
    commands: z.object({ linux: z.string(), macos: z.string(), windows: z.string() }),
    /** Removes the agent and the computer, in any of these terminals. */
    undo: z.string(),
    /** Content of the QR code: the URL, with the code after the `#`. */
    link: z.string(),
  }),
  failures: ['incorrect_password', 'too_many_attempts', 'too_many_requests', 'computer_limit_reached'],
  fieldCodes: ['password_required'],
});
