import type { FastifyInstance } from 'fastify';
import { mountOn } from '../../http/mount.ts';
import { countOf } from '../../http/rate-limits/rate-limiter.ts';
import type { Service } from '../../server/service.ts';
import * as alarms from './alarms.contract.ts';
import {
  addPause,
  changeComputerAlarms,
  changePause,
  changeQuietHours,
  describeAlarms,
  describeComputerAlarms,
  removePause,
} from './alarms.ts';
import * as channels from './channels/channels.contract.ts';
import { changeChannel, describeChannels } from './channels/channels.ts';
import { describePush, forgetPush, keepPush } from './channels/push.ts';
import { linkTelegram } from './channels/telegram.ts';
import { setWebhook } from './channels/webhook.ts';
import * as device from './device-alarms.contract.ts';
import { testChannel } from './incidents/deliver.ts';
import * as incidents from './incidents/incidents.contract.ts';
import { answerCall, changeIncident, describeIncident, describeIncidents } from './incidents/incidents.ts';
import { previewRule } from './preview-rule.ts';
import * as rules from './rules.contract.ts';
import { addAlarmRule, changeAlarmRule, orderAlarmRules, removeAlarmRule } from './rules.ts';

/** Mounts the requests about rules and pauses, channels and incidents. */
export function alarmsRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);
  const { store, changesOfAccount: limit } = service;

  mount(alarms.readAlarms, ({ signedIn }) => describeAlarms(service, signedIn.account));
  mount(device.readComputerAlarms, ({ signedIn: { accountId }, params }) =>
    describeComputerAlarms(service, { accountId, id: params.id }),
  );
  mount.change(alarms.changeQuietHours, { limit }, changeQuietHours, (account) => describeAlarms(service, account));
  mount.change(device.changeComputerAlarms, { limit }, changeComputerAlarms);
  mount.change(alarms.addPause, { limit }, addPause);
  mount.change(alarms.changePause, { limit }, changePause);
  mount.change(alarms.removePause, { limit }, removePause);

  mount.change(rules.addAlarmRule, { limit }, addAlarmRule);
  mount.change(rules.changeAlarmRule, { limit }, changeAlarmRule);
  mount.change(rules.removeAlarmRule, { limit }, removeAlarmRule);
  mount.change(rules.orderAlarmRules, { limit }, orderAlarmRules);
  mount(rules.previewAlarmRule, ({ signedIn: { accountId }, body }) => previewRule(service, accountId, body));

  mount(channels.listAlarmChannels, async ({ signedIn: { account } }) => ({
    channels: await describeChannels(service, account),
  }));
  mount.change(channels.changeAlarmChannel, { limit }, changeChannel, async (account) => ({
    channels: await describeChannels(service, account),
  }));
  mount(channels.testAlarmChannel, ({ signedIn: { account }, body: { channel } }) =>
    testChannel(service, { account, channel }),
  );
  mount(channels.linkTelegram, ({ signedIn, reply }) => {
    countOf(limit, channels.linkTelegram, { by: signedIn.accountId, reply });
    return linkTelegram(service, signedIn);
  });
  mount.change(
    channels.setWebhook,
    { limit },
    (trx, owner, { body: { url } }) => setWebhook(service, trx, { ...owner, url }),
    (secret) => ({ secret }),
  );
  mount(channels.readPush, ({ signedIn: { accountId } }) => describePush(service, accountId));
  mount.change(channels.keepPush, { limit }, (trx, { accountId, sessionId, at }, { body, visitor }) =>
    keepPush(service, trx, { ...body, accountId, sessionId, at, userAgent: visitor.userAgent }),
  );
  mount.change(channels.forgetPush, {}, (trx, { accountId, at }, { params: { id } }) =>
    forgetPush(trx, { id, accountId, at }),
  );

  mount(incidents.listIncidents, ({ signedIn: { accountId } }) => describeIncidents(store, accountId));
  mount(incidents.readIncident, ({ signedIn: { accountId }, params: { id } }) =>
    describeIncident(store, { accountId, id }),
  );
  mount.change(incidents.changeIncident, { limit }, changeIncident, (own) => describeIncident(store, own));

  // A provider of calls requests it after a key press and at the end of the call; the proof in its address is all that it has.
  app.get<{ Params: { id: string; proof: string }; Querystring: { Digits?: unknown; CallStatus?: unknown } }>(
    '/alarm-calls/:id/:proof',
    async ({ params, query, visitor }, reply) => {
      await service.scheduler.begin(visitor);
      const report = { digits: String(query.Digits ?? ''), status: String(query.CallStatus ?? '') };
      const spoken = await answerCall(service, { ...params, ...report });
      return reply.header('cache-control', 'no-store').type('text/xml; charset=utf-8').send(spoken);
    },
  );
}
