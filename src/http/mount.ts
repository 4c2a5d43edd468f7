import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import type { Answered, BodyRead, Endpoint, ParamsRead, QueryRead } from '../contract/endpoint.ts';
import { Failure } from '../contract/failures.ts';
import { fieldFailures } from '../contract/fields.ts';
import type { Service } from '../server/foundation.ts';
import { withinBudget } from '../store/budget.ts';
import type { Visitor } from '../store/visitor.ts';
import { requireCsrf } from './csrf.ts';
import { requireSignedIn, type SignedIn } from './signed-in.ts';
import { visitorOf } from './visitor.ts';

/** What a handler is given: everything that was checked, and the bare request for cookies. */
export interface Asked<E extends Endpoint> {
  readonly body: BodyRead<E>;
  readonly query: QueryRead<E>;
  readonly params: ParamsRead<E>;
  readonly visitor: Visitor;
  /** The owner of the access token; only where the endpoint asks for one. */
  readonly signedIn: SignedIn;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Answers with the endpoint's body, or with nothing where it has none. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a body returns nothing, and need not say so
type Answer<E extends Endpoint> = Answered<E> extends undefined ? void : Answered<E>;

type Handler<E extends Endpoint> = (asked: Asked<E>) => Promise<Answer<E>> | Answer<E>;

const nobody: SignedIn = { accountId: '', sessionId: '' };

/** How a journey puts an endpoint of the contract on the server: CSRF, access token, validation and answer as it says. */
export const mountOn =
  (app: FastifyInstance, service: Service) =>
  <E extends Endpoint>(endpoint: E, handle: Handler<E>): void => {
    const changes = endpoint.method !== 'GET';
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      schema: describe(endpoint),
      handler: (request, reply) =>
        withinBudget(async () => {
          reply.header('cache-control', 'no-store');
          if (changes) requireCsrf(service, request);
          const signedIn = endpoint.auth === 'bearer' ? await requireSignedIn(service, request) : nobody;
          const answer = await handle({
            body: read(endpoint.body, request.body ?? {}) as BodyRead<E>,
            query: read(endpoint.query, request.query) as QueryRead<E>,
            params: read(endpoint.params, request.params) as ParamsRead<E>,
            visitor: visitorOf(request),
            signedIn,
            request,
            reply,
          });
          reply.code(endpoint.status);
          return endpoint.answer ? endpoint.answer.parse(answer) : reply.send();
        }),
    });
  };

/** The schema is for the OpenAPI document; reading is done here, where a failure keeps its field's code. */
const describe = (endpoint: Endpoint) => ({
  ...(endpoint.body && { body: endpoint.body }),
  ...(endpoint.query && { querystring: endpoint.query }),
  ...(endpoint.params && { params: endpoint.params }),
  ...(endpoint.auth && { security: [{ accessToken: [] }] }),
  response: { [endpoint.status]: endpoint.answer ?? z.null() },
  failures: endpoint.failures,
});

function read(schema: z.ZodMiniType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Failure('malformed_request');
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Failure('validation_failed', { fields: fieldFailures(result.error.issues) });
}
