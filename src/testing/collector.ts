import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A received span, with the fields that tests check. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly failed: boolean;
}

export interface Collector {
  readonly url: string;
  /** All received spans, in order of arrival. */
  readonly spans: readonly Span[];
  /** The request bodies as received. */
  readonly raw: readonly string[];
  readonly headers: readonly NodeJS.Dict<string | string[]>[];
  /** Names of the services that sent spans. */
  readonly services: readonly string[];
  /** Status of all further responses; `undefined` means no response. */
  status: number | undefined;
  close(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

const read = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']));

/** An OpenTelemetry collector that accepts traces by OTLP over HTTP in JSON, until the test ends. */
export async function openCollector({ port = 0 }: { port?: number } = {}): Promise<Collector> {
  const spans: Span[] = [];
  const [raw, services]: [string[], string[]] = [[], []];
  const headers: Collector['headers'][number][] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('');
    headers.push(request.headers);
    const { status } = collector;
    if (status === undefined) return;
    if (status === 200 && request.url === '/v1/traces') take(body);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });

  function take(body: string): void {
    raw.push(body);
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      services.push(String(read(resource.attributes)['service.name']));
      for (const { spans: received } of scopeSpans)
        for (const span of received)
          spans.push({ ...span, attributes: read(span.attributes), failed: span.status.code === 2 });
    }
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    raw,
    headers,
    services,
    status: 200,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  onTestFinished(collector.close);
  return collector;
}
