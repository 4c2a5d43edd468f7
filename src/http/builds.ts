import type { FastifyInstance } from 'fastify';
import * as contract from '../contract/health.ts';
import { refuse } from '../contract/refuse.ts';
import type { Service } from '../server/service.ts';
import { mountOn } from './mount.ts';

/** Tells open pages which build is the newest, so that they reload when it is another one. */
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
