// oidc-provider with a store in memory: public clients, whose refresh tokens are rotated, and ID tokens signed as our
// access tokens are. `GET /tokens` gives the first refresh token of each session, `GET /sessions` the cookies of browsers
// that are signed in and have agreed.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const { PORT, SESSIONS, CLIENT } = process.env;
const web = JSON.parse(CLIENT);
const url = `http://127.0.0.1:${PORT}`;
const scope = 'openid offline_access';
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const kept = new Map();
const sameGrant = new Map();
const sessionsByUid = new Map();

/** Keeps everything: the built-in store keeps only the newest thousand entries, and loses tokens still in use. */
class MemoryAdapter {
  constructor(model) {
    this.model = model;
    this.keyOf = (id) => `${model}:${id}`;
  }

  async upsert(id, payload) {
    kept.set(this.keyOf(id), payload);
    if (this.model === 'Session') sessionsByUid.set(payload.uid, id);
    if (!payload.grantId) return;
    if (!sameGrant.has(payload.grantId)) sameGrant.set(payload.grantId, new Set());
    sameGrant.get(payload.grantId).add(this.keyOf(id));
  }

  find = async (id) => kept.get(this.keyOf(id));
  findByUid = async (uid) => this.find(sessionsByUid.get(uid));
  findByUserCode = async () => undefined;
  destroy = async (id) => void kept.delete(this.keyOf(id));

  async consume(id) {
    kept.get(this.keyOf(id)).consumed = Math.floor(Date.now() / 1000);
  }

  async revokeByGrantId(grantId) {
    for (const key of sameGrant.get(grantId) ?? []) kept.delete(key);
    sameGrant.delete(grantId);
  }
}

const provider = new Provider(url, {
  adapter: MemoryAdapter,
  clients: [
    {
      client_id: 'bench',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['https://client.example/'],
      id_token_signed_response_alg: 'ES256',
    },
    {
      client_id: web.id,
      client_secret: web.secret,
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [web.redirectUri],
      id_token_signed_response_alg: 'ES256',
    },
  ],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
  claims: { openid: ['sub'], profile: ['name', 'locale', 'zoneinfo'] },
  cookies: { long: { signed: false }, keys: ['a secret of thirty-two characters.'] },
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId, name: 'Anna Berg' }) }),
});
const client = await provider.Client.find('bench');

async function beginSession(accountId) {
  const grant = new provider.Grant({ accountId, clientId: client.clientId });
  grant.addOIDCScope(scope);
  const grantId = await grant.save();
  return new provider.RefreshToken({ accountId, client, grantId, scope, gty: 'authorization_code' }).save();
}

const tokens = [];
while (tokens.length < Number(SESSIONS)) tokens.push(await beginSession(`person${tokens.length}`));

async function signIn(accountId) {
  const session = new provider.Session({ accountId, loginTs: Math.floor(Date.now() / 1000), authorizations: {} });
  const grant = new provider.Grant({ accountId, clientId: web.id });
  grant.addOIDCScope('openid profile');
  session.grantIdFor(web.id, await grant.save());
  session.sidFor(web.id, accountId);
  return session.save(86_400);
}

const sessions = [];
while (sessions.length < Number(SESSIONS)) sessions.push(await signIn(`person${sessions.length}`));

const answer = provider.callback();
createServer((request, response) => {
  if (request.url === '/tokens') response.end(JSON.stringify(tokens));
  else if (request.url === '/sessions') response.end(JSON.stringify(sessions));
  else answer(request, response);
}).listen(Number(PORT), '127.0.0.1');
