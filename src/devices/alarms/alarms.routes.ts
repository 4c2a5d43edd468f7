import type { FastifyInstance } from 'fastify';
import { mountOn } from '../../http/mount.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './alarms.contract.ts';
import {
  addPause,
  changeAlarms,
  changeComputerAlarms,
  changePause,
  changeTagAlarms,
  describeAlarms,
  describeComputerAlarms,
  removePause,
  testAlarm,
} from './alarms.ts';

export function alarmsRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(contract.readAlarms, ({ signedIn }) => describeAlarms(service, signedIn.account));

  mount(contract.readComputerAlarms, ({ signedIn: { accountId }, params }) =>
    describeComputerAlarms(service, { accountId, id: params.id }),
  );

  const limit = service.changesOfAccount;
  mount.change(contract.changeAlarms, { limit }, changeAlarms, (account) => describeAlarms(service, account));
  mount.change(contract.changeComputerAlarms, { limit }, changeComputerAlarms);
  mount.change(contract.changeTagAlarms, { limit }, changeTagAlarms);

  mount.change(contract.addPause, { limit }, addPause);
  mount.change(contract.changePause, { limit }, changePause);
  mount.change(contract.removePause, { limit }, removePause);

  mount(contract.testAlarm, ({ signedIn: { accountId, sessionId } }) => testAlarm(service, { accountId, sessionId }));
}
