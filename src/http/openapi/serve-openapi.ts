import type { FastifyInstance } from 'fastify';
import type { Endpoint } from '../../contract/endpoint.ts';
import { pagePayload } from '../../contract/service/builds.ts';
import { describeApi } from '../../contract/service/openapi.ts';
import type { Service } from '../../server/service.ts';
import { isKnown, tagOf } from '../encoding/entity-tags.ts';
import { openApiDocument } from './openapi.ts';

/** Serves the OpenAPI description of every mounted endpoint at `/openapi.json`. */
export function openApiRoute(app: FastifyInstance, { config, build }: Service, mounted: ReadonlySet<Endpoint>): void {
  const describe = () =>
    openApiDocument([...mounted, pagePayload], {
      title: config.PRODUCT_NAME,
      version: build.id,
      url: config.PUBLIC_URL,
      passwordMinLength: config.PASSWORD_MIN_LENGTH,
    });
  sendDescription(app, describe);
}

/** Written once, after all endpoints are mounted: it is the slowest response, and anyone can request it. */
function sendDescription(app: FastifyInstance, describe: () => object): void {
  const endpoint = describeApi;
  let description: { readonly text: string; readonly tag: string } | undefined;

  function written() {
    const text = JSON.stringify(describe());
    return { text, tag: tagOf(text) };
  }

  app.route({
    method: endpoint.method,
    url: endpoint.path,
    config: { endpoint },
    handler: (request, reply) => {
      description ??= written();
      reply.header('cache-control', 'no-cache').header('etag', description.tag);
      if (isKnown(request, description.tag)) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(description.text);
    },
  });
}
