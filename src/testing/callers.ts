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

/** The digits of the newest call to a number, as its owner sees them. */
export async function digitsTo(server: TestServer, phone: string): Promise<string> {
  const call = (await server.calls()).find(({ to }) => to.replace(/\s/g, '') === phone);
  return String(call?.from).replace(/\D/g, '').slice(-4);
}

/** Confirms a number by a call; returns what a form needs, and the call. */
export async function confirmedPhone(server: TestServer, phone = anyPhone(), browser = anyone(server)) {
  const { call } = (await browser.post('/auth/phone/call', { phone, locale: 'en' })).body;
  const digits = await digitsTo(server, phone);
  const { phone_confirmation } = (await browser.post('/auth/phone/confirm', { call, digits })).body;
  return { phone, call: String(call), phone_confirmation: String(phone_confirmation) };
}
