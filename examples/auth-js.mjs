import { getToken } from '@auth/core/jwt';
import { ExpressAuth, getSession } from '@auth/express';
import express from 'express';

const { ISSUER = 'http://localhost:3000', CLIENT_ID, CLIENT_SECRET, AUTH_SECRET, PORT = '4000' } = process.env;
const origin = process.env.ORIGIN ?? `http://localhost:${PORT}`;

const config = {
  secret: AUTH_SECRET,
  trustHost: true,
  providers: [
    {
      id: 'vestibule',
      name: 'Vestibule',
      type: 'oidc',
      issuer: ISSUER,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      authorization: { params: { scope: 'openid profile email groups' } },
      checks: ['pkce', 'state', 'nonce'],
      // Name, address and groups are at the userinfo endpoint.
      idToken: false,
    },
  ],
  callbacks: {
    // Only the first call has `profile`. Without `sub: profile.sub`, Auth.js invents an id.
    jwt: ({ token, profile, account }) =>
      profile ? { ...token, sub: profile.sub, groups: profile.groups, idToken: account.id_token } : token,
    session: ({ session, token }) => ({ ...session, user: { ...session.user, id: token.sub, groups: token.groups } }),
  },
};

const app = express();
app.set('trust proxy', 'loopback');
app.use('/auth', ExpressAuth(config));

app.get('/', async (request, response) => {
  const { user } = (await getSession(request, config)) ?? {};
  if (!user) return response.redirect('/auth/signin');
  return response.type('text').send(`Hello, ${user.name} (${user.id})\n`);
});

app.get('/sign-out', async (request, response) => {
  const { headers } = request;
  const token = await getToken({ req: { headers }, secret: AUTH_SECRET, secureCookie: origin.startsWith('https:') });
  const cookies = (headers.cookie ?? '').split('; ').map((cookie) => cookie.split('=', 1)[0]);
  for (const name of cookies.filter((name) => name.includes('authjs.session-token')))
    response.clearCookie(name, { secure: origin.startsWith('https:') });
  const hint = new URLSearchParams({ id_token_hint: token?.idToken, post_logout_redirect_uri: `${origin}/` });
  return response.redirect(token ? `${ISSUER}/oidc/end-session?${hint}` : '/');
});

app.listen(Number(PORT), '127.0.0.1', () => console.log(`Open ${origin}/`));
