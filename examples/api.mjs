import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const { ISSUER = 'http://localhost:3000', AUDIENCE = 'https://api.example.com', PORT = '5000' } = process.env;
const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', ISSUER));

createServer(async (request, response) => {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const checks = { issuer: ISSUER, audience: AUDIENCE, typ: 'at+jwt', algorithms: ['ES256'] };
  const verified = await jwtVerify(token, keys, checks).catch(() => undefined);
  if (!verified) return response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
  const { sub, scope } = verified.payload;
  return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ account: sub, scope }));
}).listen(Number(PORT), '127.0.0.1');
