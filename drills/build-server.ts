// Builds the server alone of the project in the current folder: the rest of a build takes minutes, and no mistake is in it.
import { createBuilder } from 'vite';

const builder = await createBuilder({ logLevel: 'warn' });
const { server } = builder.environments;
if (!server) throw new Error('vite.config.ts has no environment "server"');
await builder.build(server);
