import type { FastifyInstance } from 'fastify';
import { refuse } from '../../contract/refuse.ts';
import * as contract from '../../contract/service/builds.ts';
import type { Service } from '../../server/service.ts';
import { mountOn } from '../mount.ts';

/** Serves the id of the newest build, so that open pages notice a deploy and reload. */
export function buildRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);
  const { build } = service;

  mount(contract.latestBuild, ({ reply }) => {
    reply.header('cache-control', 'no-cache');
    return build;
  });

  mount(contract.buildManifest, ({ params, reply }) => {
    if (params.build !== build.id) throw refuse(contract.buildManifest, 'not_found');
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    return build;
  });
}
