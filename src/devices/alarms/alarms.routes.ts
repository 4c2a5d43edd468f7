import type { FastifyInstance } from 'fastify';
import { mountOn } from '../../http/mount.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './alarms.contract.ts';
import {
  addPause,
  changeComputerAlarms,
  changePause,
  changeQuietHours,
  describeAlarms,
  describeComputerAlarms,
  removePause,
} from './alarms.ts';
import * as device from './device-alarms.contract.ts';
import { previewRule } from './preview-rule.ts';
import * as rules from './rules.contract.ts';
import { addAlarmRule, changeAlarmRule, orderAlarmRules, removeAlarmRule } from './rules.ts';

export function alarmsRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);

  mount(contract.readAlarms, ({ signedIn }) => describeAlarms(service, signedIn.account));

  mount(device.readComputerAlarms, ({ signedIn: { accountId }, params }) =>
    describeComputerAlarms(service, { accountId, id: params.id }),
  );

  const limit = service.changesOfAccount;
  mount.change(contract.changeQuietHours, { limit }, changeQuietHours, (account) => describeAlarms(service, account));
  mount.change(device.changeComputerAlarms, { limit }, changeComputerAlarms);

  mount.change(rules.addAlarmRule, { limit }, addAlarmRule);
  mount.change(rules.changeAlarmRule, { limit }, changeAlarmRule);
  mount.change(rules.removeAlarmRule, { limit }, removeAlarmRule);
  mount.change(rules.orderAlarmRules, { limit }, orderAlarmRules);
  mount(rules.previewAlarmRule, ({ signedIn: { accountId }, body }) => previewRule(service, accountId, body));

  mount.change(contract.addPause, { limit }, addPause);
  mount.change(contract.changePause, { limit }, changePause);
  mount.change(contract.removePause, { limit }, removePause);
}
