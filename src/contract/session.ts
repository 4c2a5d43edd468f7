import { endpoint } from './endpoint.ts';
import { accessGranted } from './fields.ts';

/** Sets `csrf_token` for a client that has seen no page. */
export const csrf = endpoint({ method: 'GET', path: '/auth/csrf', status: 204, failures: [] });

export const refresh = endpoint({
  method: 'POST',
  path: '/auth/refresh',
  status: 200,
  answer: accessGranted,
  failures: ['csrf_failed', 'session_ended', 'try_again_later'],
});

export const logout = endpoint({ method: 'POST', path: '/auth/logout', status: 204, failures: ['csrf_failed'] });
