import type { ResponseBody } from '../../contract/endpoint.ts';
import { allScopes } from '../../contract/openid-scopes.ts';
import type { listApps, readDevice, readStep } from '../../journeys/openid/connect/connect.contract.ts';

/** The request of an application that sends someone to sign in; the next step is the state’s. */
export const appRequest = {
  app: 'Grafana',
  site: 'grafana.example.com',
  scopes: [...allScopes],
  to: '/oidc/auth/r',
} satisfies Omit<ResponseBody<typeof readStep>, 'step'>;

/** The request of an application on a television. */
export const television: ResponseBody<typeof readDevice> = { app: 'Television', scopes: [...allScopes.slice(0, 2)] };

/** An application that the account is connected to. */
export const connectedApp: ResponseBody<typeof listApps>['apps'][number] = {
  id: 'g',
  name: 'Grafana',
  scopes: [...allScopes.slice(0, 3)],
  connected_at: '2026-01-01T12:00:00Z',
  last_used_at: '2026-02-01T12:00:00Z',
};
