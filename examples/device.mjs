import * as openid from 'openid-client';

const { ISSUER = 'http://localhost:3000', CLIENT_ID } = process.env;
const execute = ISSUER.startsWith('http:') ? [openid.allowInsecureRequests] : [];
const config = await openid.discovery(new URL(ISSUER), CLIENT_ID, undefined, openid.None(), { execute });

const flow = await openid.initiateDeviceAuthorization(config, { scope: 'openid profile' });
console.log(`Open ${flow.verification_uri} and enter ${flow.user_code}`);
const tokens = await openid.pollDeviceAuthorizationGrant(config, flow);
const { sub } = tokens.claims();
const { name } = await openid.fetchUserInfo(config, tokens.access_token, sub);
console.log(`Hello, ${name} (${sub})`);
