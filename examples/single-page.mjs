import { UserManager } from 'oidc-client-ts';

const users = new UserManager({
  authority: 'https://account.example.com',
  client_id: 'CLIENT_ID',
  redirect_uri: 'https://app.example.com/signed-in.html',
  scope: 'openid profile email',
  // Name and address are at the userinfo endpoint.
  loadUserInfo: true,
});

if (location.pathname === '/signed-in.html') {
  await users.signinCallback();
  location.replace('/');
} else {
  const user = await users.getUser();
  if (!user || user.expired) await users.signinRedirect();
  else document.body.textContent = `Hello, ${user.profile.name}`;
}
