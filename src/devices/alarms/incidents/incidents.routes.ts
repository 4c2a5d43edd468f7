import type { FastifyInstance } from 'fastify';
import { mountOn } from '../../../http/mount.ts';
import { countOf } from '../../../http/rate-limits/rate-limiter.ts';
import type { Service } from '../../../server/service.ts';
import { linkTelegram } from '../channels/telegram-links.ts';
import { setWebhook } from '../channels/webhook.ts';
import * as contract from './incidents.contract.ts';
import {
  answerCall,
  changeChannel,
  changeIncident,
  describeChannels,
  describeIncident,
  describeIncidents,
  testChannel,
} from './incidents.ts';

export function incidentsRoutes(app: FastifyInstance, service: Service): void {
  const mount = mountOn(app, service);
  const { store } = service;
  const limit = service.changesOfAccount;

  mount(contract.listIncidents, ({ signedIn: { accountId } }) => describeIncidents(store, accountId));
  mount(contract.readIncident, ({ signedIn: { accountId }, params: { id } }) =>
    describeIncident(store, { accountId, id }),
  );
  mount.change(contract.changeIncident, { limit }, changeIncident, (own) => describeIncident(store, own));

  mount(contract.listAlarmChannels, async ({ signedIn: { account } }) => ({
    channels: await describeChannels(service, account),
  }));
  mount.change(contract.changeAlarmChannel, { limit }, changeChannel, async (account) => ({
    channels: await describeChannels(service, account),
  }));
  mount.change(
    contract.setWebhook,
    { limit },
    (trx, owner, { body: { url } }) => setWebhook(service, trx, { ...owner, url }),
    (secret) => ({ secret }),
  );
  mount(contract.linkTelegram, ({ signedIn: { accountId }, reply }) => {
    countOf(limit, contract.linkTelegram, { by: accountId, reply });
    return linkTelegram(service, accountId);
  });
  mount(contract.testAlarmChannel, ({ signedIn: { account }, body: { channel } }) =>
    testChannel(service, { account, channel }),
  );

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
