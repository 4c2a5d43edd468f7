import { once } from 'node:events';
import { createServer } from 'node:http';
import * as openid from 'openid-client';

const { ISSUER = 'http://localhost:3000', CLIENT_ID } = process.env;
const execute = ISSUER.startsWith('http:') ? [openid.allowInsecureRequests] : [];
const config = await openid.discovery(new URL(ISSUER), CLIENT_ID, undefined, openid.None(), { execute });

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const callback = `http://127.0.0.1:${server.address().port}/callback`;
const [verifier, state] = [openid.randomPKCECodeVerifier(), openid.randomState()];
const to = openid.buildAuthorizationUrl(config, {
  redirect_uri: callback,
  scope: 'openid profile',
  code_challenge: await openid.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
  state,
});
console.log(`Open ${to.href}`);

const [request, response] = await once(server, 'request');
const checks = { pkceCodeVerifier: verifier, expectedState: state };
const tokens = await openid.authorizationCodeGrant(config, new URL(request.url, callback), checks);
response.end('You can close this window.');
server.close();
const { sub } = tokens.claims();
const { name } = await openid.fetchUserInfo(config, tokens.access_token, sub);
console.log(`Hello, ${name} (${sub})`);
