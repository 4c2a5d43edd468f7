import { hostname } from 'node:os';
import type { FastifyInstance } from 'fastify';
import { refuse, refuseField } from '../../contract/failures.ts';
import { readTime } from '../../contract/fields/time.ts';
import { days } from '../../contract/units.ts';
import { mountOperatorsOn } from '../../http/mount-operator.ts';
import { allowAddressAgain, emailsPage, retryEmails, suppressedPage } from '../../operations/deliveries.ts';
import { groupsWithSizes } from '../../operations/groups.ts';
import { addPromoCode, promoCodesPage } from '../../operations/promo-codes.ts';
import { describeNodes, describeSigningKeys } from '../../operations/service.ts';
import { statistics } from '../../operations/statistics.ts';
import { today } from '../../operations/today.ts';
import type { Service } from '../../server/service.ts';
import { callRates } from './calls.ts';
import * as contract from './service.contract.ts';

type Listing = typeof contract.listEmails | typeof contract.listSuppressed;

function pageOf<T>(endpoint: Listing, page: T | undefined): T {
  if (!page) throw refuseField(endpoint, { field: 'cursor', code: 'not_understood' });
  return page;
}

/** Endpoints of the management API about what the service sends, and about what everyone shares. */
export function serviceRoutes(app: FastifyInstance, service: Service): void {
  const { store, config } = service;
  const mount = mountOperatorsOn(app, service);

  mount(contract.listEmails, async ({ query: { account, ...query } }) =>
    pageOf(contract.listEmails, await emailsPage(store, { accountId: account, ...query })),
  );

  mount(contract.retryEmails, async ({ operation, body: { ids } }) => ({ retried: await retryEmails(operation, ids) }));

  mount(contract.listSuppressed, async ({ query }) =>
    pageOf(contract.listSuppressed, await suppressedPage(store, query)),
  );

  mount(contract.allowAddress, async ({ operation, body: { who } }) => {
    if (!(await allowAddressAgain(operation, who))) throw refuse(contract.allowAddress, 'not_found');
  });

  mount(contract.addPromoCode, async ({ operation, body: { code, uses = null, until: typed } }) => {
    const until = typed === undefined ? null : (readTime(typed) ?? 0);
    if (code === undefined) throw refuseField(contract.addPromoCode, { field: 'code', code: 'required' });
    if (until !== null && until <= operation.now)
      throw refuseField(contract.addPromoCode, { field: 'until', code: 'not_understood' });
    if (!(await addPromoCode(operation, { code, uses, until })))
      throw refuse(contract.addPromoCode, 'promo_code_exists');
  });

  mount(contract.listCalls, ({ operation: { now }, query: { days } }) => callRates({ store, config, now }, days));

  mount(contract.listPromoCodes, ({ query }) => promoCodesPage(store, query));

  mount(contract.readToday, async ({ operation: { now }, query }) =>
    today({
      store,
      receivers: await service.webhooks.receivers(),
      now,
      examined: { ...(await service.examined({ again: query.again === 'true' })), node: hostname() },
    }),
  );

  mount(contract.readStatistics, async ({ operation: { now }, query: { series, by, from: first, to: last } }) => {
    const from = first === undefined ? now - days(29) : readTime(first);
    const to = last === undefined ? now : readTime(last);
    for (const [field, time] of Object.entries({ from, to }))
      if (time === undefined) throw refuseField(contract.readStatistics, { field, code: 'not_understood' });
    return { items: await statistics({ store, series, by, from: from ?? 0, to: to ?? 0, now }) };
  });

  mount(contract.listNodes, async () => ({ items: await describeNodes(store) }));

  mount(contract.listSettings, () => ({
    items: service.settings.map(({ name, value, from, secret }) => ({ name, value, from, secret })),
  }));

  mount(contract.listSigningKeys, async ({ operation: { now } }) => ({ items: await describeSigningKeys(store, now) }));

  mount(contract.listGroups, async () => ({ items: await groupsWithSizes(store) }));
}
