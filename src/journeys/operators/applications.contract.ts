import * as z from 'zod/mini';
import { endpoint, named, ownId } from '../../contract/endpoint.ts';
import { knownClaims } from '../../contract/openid-scopes.ts';
import { reason } from './people.contract.ts';
import { doubt } from './webhooks.contract.ts';

const text = z.string();
const understood = { error: 'not_understood' } as const;
const line = z.string(understood).check(z.maxLength(2000, understood));
const lines = z.optional(z.array(line, understood).check(z.maxLength(50, understood)));
const flag = z.optional(z.boolean(understood));

/** What an application may be, with the names of OpenID Connect Dynamic Client Registration where it has some. */
const changes = {
  redirect_uris: lines,
  post_logout_redirect_uris: lines,
  /** Null removes it. */
  backchannel_logout_uri: z.optional(z.nullable(line)),
  id_token_signed_response_alg: z.optional(z.enum(['ES256', 'RS256'], understood)),
  groups: lines,
  resources: lines,
  apis: lines,
  claims: z.optional(z.record(line, z.enum(Object.keys(knownClaims) as [string, ...string[]], understood), understood)),
  without_pkce: flag,
  public: flag,
  first_party: flag,
  service: flag,
  device: flag,
  claims_in_id_token: flag,
};

const application = named(
  'Application',
  z.object({
    client_id: text,
    client_name: text,
    redirect_uris: z.array(text),
    post_logout_redirect_uris: z.array(text),
    backchannel_logout_uri: z.optional(text),
    id_token_signed_response_alg: text,
    groups: z.array(text),
    resources: z.array(text),
    apis: z.array(text),
    claims: z.record(text, text),
    without_pkce: z.boolean(),
    public: z.boolean(),
    first_party: z.boolean(),
    service: z.boolean(),
    device: z.boolean(),
    claims_in_id_token: z.boolean(),
    from_file: z.boolean(),
    created_at: text,
    secrets: z.array(named('ApplicationSecret', z.object({ created_at: text }))),
    doubt,
  }),
);

const secret = named('NewSecret', z.object({ client_id: text, client_secret: z.nullable(text) }));

/** Whoever changes one can make people sign in elsewhere, so it needs an owner. */
const act = { auth: 'operator', role: 'owner' } as const;
const one = { ...act, params: z.object({ id: ownId }) } as const;
/** Which rule an entry breaks; for URIs with the number of the line, from 1 on. */
const fieldCodes = ['required', 'uri_invalid', 'uri_insecure', 'not_understood'] as const;

export const listApplications = endpoint({
  route: 'GET /operators/applications',
  summary: 'List the applications that people sign in to, without their secrets',
  auth: 'operator',
  role: 'support',
  status: 200,
  response: z.object({ items: z.array(application) }),
});

export const addApplication = endpoint({
  ...act,
  route: 'POST /operators/applications',
  summary: 'Add an application; only this response contains its secret',
  body: z.object({
    client_name: z.string({ error: 'required' }).check(z.minLength(1, { error: 'required' })),
    ...changes,
    reason,
  }),
  status: 201,
  response: secret,
  fieldCodes,
});

export const readApplication = endpoint({
  ...one,
  route: 'GET /operators/applications/:id',
  role: 'support',
  summary: 'Read an application, and the last refusals of its requests',
  status: 200,
  response: z.object({
    application,
    refusals: z.array(
      named(
        'ApplicationRefusal',
        z.object({ at: text, route: text, code: text, explanation: text, value: text, reference: text }),
      ),
    ),
  }),
});

export const changeApplication = endpoint({
  ...one,
  route: 'PATCH /operators/applications/:id',
  summary:
    'Change an application; absent fields stay. One that is no longer public gets a secret, which only this response contains',
  body: z.object({ client_name: z.optional(z.string(understood)), ...changes, reason }),
  status: 200,
  response: secret,
  failures: ['from_file'],
  fieldCodes,
});

export const removeApplication = endpoint({
  ...one,
  route: 'DELETE /operators/applications/:id',
  summary: 'Remove an application and end everything that it was granted',
  body: z.object({ reason }),
  status: 204,
  failures: ['from_file'],
});

export const confirmApplication = endpoint({
  ...one,
  route: 'POST /operators/applications/:id/confirm',
  summary: 'Say that an application in doubt is as it should be',
  body: z.object({ reason }),
  status: 204,
});

export const addApplicationSecret = endpoint({
  ...one,
  route: 'POST /operators/applications/:id/secrets',
  summary: 'Add a second secret beside the first; only this response contains it',
  body: z.object({ reason }),
  status: 201,
  response: secret,
  failures: ['from_file', 'secret_limit_reached'],
});

export const dropApplicationSecret = endpoint({
  ...one,
  route: 'DELETE /operators/applications/:id/secrets/older',
  summary: 'End the older of two secrets',
  body: z.object({ reason }),
  status: 204,
});
