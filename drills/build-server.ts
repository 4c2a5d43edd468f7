// Builds only the server of the project in the current folder: the rest takes minutes, and mutations never affect it.
import { createBuilder } from 'vite';

const builder = await createBuilder({ logLevel: 'warn' });
const { server } = builder.environments;
if (!server) throw new Error('vite.config.ts has no environment "server"');
await builder.build(server);
