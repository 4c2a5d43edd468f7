import { endpoint } from './endpoint.ts';

/** W3C, A Well-Known URL for Changing Passwords. */
export const changePassword = endpoint({
  method: 'GET',
  path: '/.well-known/change-password',
  summary: 'Redirect to the page that sets a new password',
  status: 302,
});
