import { endpoint } from '../endpoint.ts';
import { accessGranted } from './access-granted.ts';

/** Sets `csrf_token` for a client that has not loaded a page. */
export const csrf = endpoint({
  method: 'GET',
  path: '/auth/csrf',
  summary: 'Set the CSRF token’s cookie',
  status: 204,
});

export const refresh = endpoint({
  method: 'POST',
  path: '/auth/refresh',
  summary: 'Get an access token with the session’s cookie',
  status: 200,
  response: accessGranted,
  failures: ['session_ended'],
});

export const logout = endpoint({
  method: 'POST',
  path: '/auth/logout',
  summary: 'End the session of this browser',
  status: 204,
});
