import type { Client } from './client.ts';
import type { TestServer } from './test-server.ts';

let numbers = 0;

/** A new phone number, so that tests do not share rate limits. */
export function anyPhone(): string {
  numbers += 1;
  return `+4915112${String(numbers).padStart(6, '0')}`;
}

let addresses = 0;

/** A browser in a network of its own. */
export function anyone(server: TestServer): Client {
  addresses += 1;
  return server.client({ ip: `203.${addresses >>> 8}.${addresses & 255}.7` });
}
