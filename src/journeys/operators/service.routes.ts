import type { FastifyInstance } from 'fastify';
import { refuse, refuseField } from '../../contract/failures.ts';
import { readTime } from '../../contract/fields/time.ts';
import { mountOperatorsOn } from '../../http/mount-operator.ts';
import { addPromoCode } from '../../operations/add-promo-code.ts';
import {
  allowAddressAgain,
  emailsPage,
  retryEmails,
  retryWebhooks,
  suppressedPage,
} from '../../operations/deliveries.ts';
import { groupsWithSizes } from '../../operations/groups.ts';
import type { Service } from '../../server/service.ts';
import * as contract from './service.contract.ts';

/** Endpoints of the management API about what the service sends, and about what everyone shares. */
export function serviceRoutes(app: FastifyInstance, service: Service): void {
  const { store } = service;
  const mount = mountOperatorsOn(app, service);

  mount(contract.listEmails, ({ query: { account, ...page } }) => emailsPage(store, { accountId: account, ...page }));

  mount(contract.retryEmails, async ({ operation, body: { ids } }) => ({ retried: await retryEmails(operation, ids) }));

  mount(contract.listSuppressed, async ({ query }) => {
    const page = await suppressedPage(store, query);
    if (!page) throw refuseField(contract.listSuppressed, { field: 'cursor', code: 'not_understood' });
    return page;
  });

  mount(contract.allowAddress, async ({ operation, body: { who } }) => {
    if (!(await allowAddressAgain(operation, who))) throw refuse(contract.allowAddress, 'not_found');
  });

  mount(contract.retryDeliveries, async ({ operation, body: { ids } }) => ({
    retried: await retryWebhooks(operation, ids),
  }));

  mount(contract.addPromoCode, async ({ operation, body: { code, uses = null, until: typed } }) => {
    const until = typed === undefined ? null : (readTime(typed) ?? 0);
    if (code === undefined) throw refuseField(contract.addPromoCode, { field: 'code', code: 'required' });
    if (until !== null && until <= operation.now)
      throw refuseField(contract.addPromoCode, { field: 'until', code: 'not_understood' });
    if (!(await addPromoCode(operation, { code, uses, until })))
      throw refuse(contract.addPromoCode, 'promo_code_exists');
  });

  mount(contract.listGroups, async () => ({ items: await groupsWithSizes(store) }));
}
