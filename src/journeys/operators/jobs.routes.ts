import type { FastifyInstance } from 'fastify';
import { refuse } from '../../contract/failures.ts';
import { mountOperatorsOn } from '../../http/mount-operator.ts';
import { beginJob, describeJob, jobPeoplePage, jobsPage } from '../../operations/jobs.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './jobs.contract.ts';

/** Endpoints of the management API about acts for many people. */
export function jobRoutes(app: FastifyInstance, service: Service): void {
  const { store } = service;
  const mount = mountOperatorsOn(app, service);

  mount(contract.beginJob, async ({ operation, body: { ids, act } }) => ({
    id: await beginJob(operation, { ids, act }),
  }));

  mount(contract.listJobs, ({ query }) => jobsPage(store, query));

  mount(contract.readJob, async ({ params: { id } }) => {
    const job = await describeJob(store, id);
    if (!job) throw refuse(contract.readJob, 'not_found');
    return job;
  });

  mount(contract.listJobPeople, async ({ params: { id }, query }) => {
    const page = await jobPeoplePage(store, { id, ...query });
    if (!page) throw refuse(contract.listJobPeople, 'not_found');
    return page;
  });
}
