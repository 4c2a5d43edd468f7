import { UserManager } from 'oidc-client-ts';

const users = new UserManager({
  authority: 'https://account.example.com',
  client_id: 'CLIENT_ID',
  redirect_uri: 'https://app.example.com/signed-in.html',
  post_logout_redirect_uri: 'https://app.example.com/',
  scope: 'openid profile email',
  // Name and address are at the userinfo endpoint.
  loadUserInfo: true,
});
// The library renews tokens a minute before they expire. If it cannot, the session has ended.
users.events.addSilentRenewError(() => users.signinRedirect());

if (location.pathname === '/signed-in.html') {
  await users.signinCallback();
  location.replace('/');
} else {
  const user = await users.getUser();
  if (!user || user.expired) await users.signinRedirect();
  else {
    const signOut = document.createElement('button');
    signOut.textContent = 'Sign out';
    signOut.addEventListener('click', () => users.signoutRedirect());
    document.body.append(`Hello, ${user.profile.name} `, signOut);
  }
}
