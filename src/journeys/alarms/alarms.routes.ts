import type { FastifyInstance } from 'fastify';
import { mountOn } from '../../http/mount.ts';
import { countOf } from '../../http/rate-limits/count-of.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './alarms.contract.ts';
import { describeAlarms, describeComputerAlarms } from './alarms.ts';
import { changeAlarms, changeComputerAlarms, changeTagAlarms } from './change-alarms.ts';
import { testAlarm } from './test-alarm/test-alarm.ts';

export function alarmsRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(contract.readAlarms, ({ signedIn }) => describeAlarms(service, signedIn.account));

  mount(contract.readComputerAlarms, ({ signedIn: { accountId }, params }) =>
    describeComputerAlarms(service, { accountId, id: params.id }),
  );

  mount(contract.changeAlarms, ({ signedIn: { accountId, sessionId }, body }) => {
    countOf(service.changesOfAccount, contract.changeAlarms, accountId);
    return changeAlarms(service, { accountId, sessionId, body });
  });

  mount(contract.changeComputerAlarms, ({ signedIn: { accountId, sessionId }, params, body }) => {
    countOf(service.changesOfAccount, contract.changeComputerAlarms, accountId);
    return changeComputerAlarms(service, { accountId, sessionId, id: params.id, body });
  });

  mount(contract.changeTagAlarms, ({ signedIn: { accountId, sessionId }, body }) => {
    countOf(service.changesOfAccount, contract.changeTagAlarms, accountId);
    return changeTagAlarms(service, { accountId, sessionId, body });
  });

  mount(contract.testAlarm, ({ signedIn: { accountId, sessionId } }) => testAlarm(service, { accountId, sessionId }));
}
