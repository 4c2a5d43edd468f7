import { randomUUID } from 'node:crypto';
import express from 'express';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as openid from 'openid-client';

const { ISSUER = 'http://localhost:3000', CLIENT_ID, CLIENT_SECRET, PORT = '4000' } = process.env;
const origin = process.env.ORIGIN ?? `http://localhost:${PORT}`;
// Plain http is only for a developer's machine.
const execute = ISSUER.startsWith('http:') ? [openid.allowInsecureRequests] : [];
const config = await openid.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, { execute });
const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri));

/** The sessions of this application, by their cookie. Keep them in your database. */
const sessions = new Map();
const sessionOf = ({ headers }) => sessions.get(/(?:^|; )app_session=([\w-]+)/.exec(headers.cookie ?? '')?.[1]);
function beginSession(response, session) {
  const id = randomUUID();
  sessions.set(id, session);
  response.cookie('app_session', id, { httpOnly: true, sameSite: 'lax', secure: origin.startsWith('https:') });
}

const app = express();

app.get('/', (request, response) => {
  const { person } = sessionOf(request) ?? {};
  if (!person) return response.redirect('/sign-in');
  return response.type('text').send(`Hello, ${person.name} (${person.sub})\n`);
});

app.get('/sign-in', async (_request, response) => {
  const [verifier, state] = [openid.randomPKCECodeVerifier(), openid.randomState()];
  beginSession(response, { verifier, state });
  const to = openid.buildAuthorizationUrl(config, {
    redirect_uri: `${origin}/signed-in`,
    scope: 'openid profile email groups',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  });
  response.redirect(to.href);
});

app.get('/signed-in', async (request, response) => {
  const { verifier, state } = sessionOf(request) ?? {};
  if (!verifier) return response.redirect('/sign-in');
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  const tokens = await openid
    .authorizationCodeGrant(config, new URL(request.url, origin), checks)
    .catch(() => undefined);
  if (!tokens) return response.status(400).type('text').send(`The sign-in failed. Try again: ${origin}/\n`);
  const { sub, sid } = tokens.claims();
  const person = await openid.fetchUserInfo(config, tokens.access_token, sub);
  beginSession(response, { person, sid, idToken: tokens.id_token });
  return response.redirect('/');
});

app.get('/sign-out', (request, response) => {
  const { idToken } = sessionOf(request) ?? {};
  response.clearCookie('app_session');
  const hint = { id_token_hint: idToken, post_logout_redirect_uri: `${origin}/` };
  response.redirect(idToken ? openid.buildEndSessionUrl(config, hint).href : '/');
});

// The session ended elsewhere: a sign-out, another password, a lock, a deletion.
app.post('/backchannel-logout', express.urlencoded(), async (request, response) => {
  const checks = { issuer: ISSUER, audience: CLIENT_ID, typ: 'logout+jwt' };
  const { payload } = await jwtVerify(request.body.logout_token, keys, checks);
  for (const [id, { sid }] of sessions) if (sid === payload.sid) sessions.delete(id);
  response.sendStatus(200);
});

app.listen(Number(PORT), '127.0.0.1', () => console.log(`Open ${origin}/`));
