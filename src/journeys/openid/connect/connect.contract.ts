import * as z from 'zod/mini';
import { endpoint, named, ownId } from '../../../contract/endpoint.ts';
import { consent, deviceCode } from '../../../contract/fields/fields.ts';
import { allScopes } from '../../../contract/openid-scopes.ts';

const requestId = z.object({ id: ownId });
const decision = z.object({ allow: consent });
const text = z.string();
/** A value of an application, which pages only pass on. */
const anyText = z.catch(z.string().check(z.maxLength(2000)), '');

const scopes = z.array(z.enum(allScopes));
/** APIs that the application acts on for the account, with the scopes of their own. */
const apis = z.array(named('AllowedApi', z.object({ name: text, scopes: z.array(text) })));

/** The name of the application that a sign-in continues to. */
export const readRequest = endpoint({
  route: 'GET /connect/requests/:id',
  summary: 'Get the name of the application that requested a sign-in',
  params: requestId,
  response: z.object({ app: text }),
  failures: ['not_found'],
});

/** The name of the application that a guard protects. */
export const readApp = endpoint({
  route: 'GET /connect/apps/:id',
  summary: 'Get the name of an application',
  params: requestId,
  response: z.object({ app: text }),
  failures: ['not_found'],
});

/** The next step of a signed-in user for an application. */
export const readStep = endpoint({
  route: 'GET /connect/requests/:id/step',
  summary: 'Get the next step of a sign-in to an application',
  params: requestId,
  auth: 'bearer',
  response: z.object({
    step: z.enum(['continue', 'sign_in_again', 'consent', 'refused']),
    app: text,
    site: text,
    scopes,
    apis,
    /** The path that continues. */
    to: text,
  }),
  failures: ['not_found'],
});

/** The user's decision about what an application may see. */
export const decide = endpoint({
  route: 'POST /connect/requests/:id',
  summary: 'Allow or refuse a sign-in to an application',
  params: requestId,
  body: decision,
  auth: 'bearer',
  response: z.object({ to: text }),
  failures: ['not_found'],
});

/** The device that shows a code (RFC 8628). */
export const readDevice = endpoint({
  route: 'POST /connect/device',
  summary: 'Get the application of a device that shows a code',
  body: z.object({ user_code: deviceCode }),
  auth: 'bearer',
  response: z.object({ app: text, scopes, apis }),
  failures: ['device_code_unknown', 'too_many_requests', 'email_cannot_be_used'],
});

export const decideDevice = endpoint({
  route: 'POST /connect/device/decision',
  summary: 'Allow or refuse the sign-in of a device that shows a code',
  body: z.object({ user_code: deviceCode, allow: consent }),
  auth: 'bearer',
  // Only to let the device in.
  failures: ['device_code_unknown', 'too_many_requests', 'email_cannot_be_used', 'step_up_required'],
});

/** Signs the browser out at the request of an application, after its user agreed. */
export const signOutForApp = endpoint({
  route: 'POST /connect/sign-out',
  summary: 'Sign out and get the page of the application to return to',
  body: z.object({
    client_id: z.optional(ownId),
    post_logout_redirect_uri: z.optional(anyText),
    state: z.optional(anyText),
  }),
  response: z.object({
    /** Null without a page that the application has registered. */
    to: z.nullable(text),
  }),
});

export const listApps = endpoint({
  route: 'GET /account/apps',
  summary: 'List the applications connected to the account',
  auth: 'bearer',
  response: z.object({
    apps: z.array(
      named(
        'ConnectedApp',
        z.object({
          id: text,
          name: text,
          scopes,
          apis,
          connected_at: z.iso.datetime(),
          last_used_at: z.iso.datetime(),
        }),
      ),
    ),
  }),
});

export const disconnectApp = endpoint({
  route: 'DELETE /account/apps/:id',
  summary: 'Disconnect an application from the account',
  params: requestId,
  auth: 'bearer',
  failures: ['not_found'],
});
