// Floods a service from a separate process, so that it does not slow down the observer. Runs until it is killed.

import { connect } from 'node:net';

/** A request without the header that names its source. `%n` in its head or body becomes a new number each time. */
export interface FloodRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or a string as a form. */
  readonly body?: unknown;
}

export interface Assault {
  readonly url: string;
  readonly connections: number;
  readonly sources: number;
  /** The requests, sent in turn. */
  readonly requests: readonly FloodRequest[];
}

const { url, connections, sources, requests }: Assault = JSON.parse(process.argv[2] ?? '');
const { hostname, port } = new URL(url);
const counts = new Map<number, number>();
let sent = 0;

function nextRequest(): string {
  sent += 1;
  const { method, path, headers = {}, body } = requests[sent % requests.length] as FloodRequest;
  const turn = sent % sources;
  const number = `${process.pid}x${sent}`;
  const isForm = typeof body === 'string';
  const content = body === undefined ? '' : (isForm ? body : JSON.stringify(body)).replaceAll('%n', number);
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  const lines = [
    `${method} ${path.replaceAll('%n', number)} HTTP/1.1`,
    'Host: door.example',
    `X-Forwarded-For: 198.${18 + (turn >> 8)}.${turn & 255}.7`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value.replaceAll('%n', number)}`),
    ...(body === undefined ? [] : [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(content)}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${content}`;
}

/** Sends one request after another on one connection; opens it again if the service closes it. */
function attack(): void {
  const socket = connect(Number(port), hostname);
  let received = '';
  const send = () => {
    received = '';
    socket.write(nextRequest());
  };
  socket.setNoDelay(true).on('connect', send);
  socket.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1');
    const head = received.indexOf('\r\n\r\n');
    if (head < 0) return;
    const status = Number(received.slice(9, 12));
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, head))?.[1] ?? 0);
    if (received.length < head + 4 + length) return;
    counts.set(status, (counts.get(status) ?? 0) + 1);
    send();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => setTimeout(attack, 1));
}

for (let connection = 0; connection < connections; connection += 1) attack();
setInterval(() => process.stdout.write(`${JSON.stringify([...counts])}\n`), 500);
