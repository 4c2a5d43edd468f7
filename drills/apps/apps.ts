import type { Drill } from '../drill.ts';
import { apacheScene } from './apache.ts';
import { authlibScene } from './authlib.ts';
import { guardScene } from './guard.ts';
import { authJsScene, passportScene } from './npm-apps.ts';
import { oidcAgentScene } from './oidc-agent.ts';
import { startCaddy, startNginx } from './proxies.ts';

export const drill: Drill = {
  promise: 'Third-party software signs people in and out through the provider and the guard, and admits no one else.',
  atOnce: 2,
  scenes: [
    apacheScene,
    authlibScene,
    oidcAgentScene,
    authJsScene,
    passportScene,
    guardScene({ name: 'nginx', start: startNginx }),
    guardScene({ name: 'caddy', start: startCaddy }),
  ],
};
