// oidc-provider with a store in memory: public clients, whose refresh tokens are rotated, and ID tokens signed as our
// access tokens are. `GET /tokens` gives the first refresh token of each session.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const { PORT, SESSIONS } = process.env;
const url = `http://127.0.0.1:${PORT}`;
const scope = 'openid offline_access';
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const kept = new Map();
const sameGrant = new Map();

/** Keeps everything: the built-in store keeps only the newest thousand entries, and loses tokens still in use. */
class MemoryAdapter {
  constructor(model) {
    this.keyOf = (id) => `${model}:${id}`;
  }

  async upsert(id, payload) {
    kept.set(this.keyOf(id), payload);
    if (!payload.grantId) return;
    if (!sameGrant.has(payload.grantId)) sameGrant.set(payload.grantId, new Set());
    sameGrant.get(payload.grantId).add(this.keyOf(id));
  }

  find = async (id) => kept.get(this.keyOf(id));
  findByUid = async () => undefined;
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
  ],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
  cookies: { keys: ['a secret of thirty-two characters.'] },
  rotateRefreshToken: true,
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
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

const answer = provider.callback();
createServer((request, response) => {
  if (request.url === '/tokens') response.end(JSON.stringify(tokens));
  else answer(request, response);
}).listen(Number(PORT), '127.0.0.1');
