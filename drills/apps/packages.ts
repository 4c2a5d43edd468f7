import { findInstalled } from '../fixtures/installed.ts';

const packages = 'libapache2-mod-auth-openidc python3-authlib oidc-agent-cli nginx caddy';

/** Paths of programs and files that the scenes of `apps` need, in the same order. Throws `NotInstalled`. */
export const requireInstalled = (...wanted: readonly string[]): string[] => findInstalled(wanted, packages);
