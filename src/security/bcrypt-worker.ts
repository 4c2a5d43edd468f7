import { parentPort, workerData } from 'node:worker_threads';
import { compare } from 'bcryptjs';

const { password, hash } = workerData as { password: string; hash: string };
parentPort?.postMessage(await compare(password, hash));
