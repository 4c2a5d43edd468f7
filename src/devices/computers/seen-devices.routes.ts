import type { FastifyInstance } from 'fastify';
import { refuse } from '../../contract/failures.ts';
import { mountOperatorsOn } from '../../http/mount-operator.ts';
import { findPerson, recordView } from '../../operations/people.ts';
import type { Service } from '../../server/service.ts';
import { seeDevices } from '../contract/seen-devices.ts';
import { listComputers, listRecords } from './computers.ts';

/** Records that the dashboard shows. */
const newest = 10;

/** What operators see of someone's dashboard. */
export function seenDevicesRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOperatorsOn(app, service);
  mount(seeDevices, async ({ operation, params: { id: accountId } }) => {
    const account = await findPerson(service, accountId);
    if (!account) throw refuse(seeDevices, 'not_found');
    await recordView(operation, { account, action: 'devices_viewed' });
    const [{ computers }, { records }] = await Promise.all([
      listComputers(service, accountId),
      listRecords(service, { accountId, limit: newest }),
    ]);
    return { computers, records };
  });
}
