import * as z from 'zod/mini';

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const collector = z.string().check(
  z.refine((value) => {
    const { protocol = '', search = '', hash = '' } = URL.parse(value) ?? {};
    return /^https?:$/.test(protocol) && search === '' && hash === '';
  }, 'must be the URL of a collector, such as http://127.0.0.1:4318'),
);

/** Values may be percent-encoded, as OpenTelemetry defines. */
const header = /^\s*([\w!#$&'*+.^`|~-]+)\s*=\s*((?:[\x21-\x24\x26-\x7e ]|%[2-7][\da-f])*?)\s*$/i;

const headersIn = (value: string) =>
  value
    .split(',')
    .filter((one) => one.trim() !== '')
    .map((one) => header.exec(one));

const headers = z.pipe(
  z.string().check(z.refine((value) => !headersIn(value).includes(null), 'must be name=value, separated by commas')),
  z.transform((value) =>
    Object.fromEntries(headersIn(value).map((found) => [found?.[1] ?? '', decodeURIComponent(found?.[2] ?? '')])),
  ),
);

const share = z.pipe(
  z.string().check(z.regex(/^(?:0|1|0?\.\d+|1\.0+)$/, 'must be a share from 0 to 1')),
  z.transform(Number),
);

/** The settings of tracing; OpenTelemetry defines their names and values. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z.optional(collector),
  OTEL_EXPORTER_OTLP_HEADERS: z._default(headers, {}),
  OTEL_SERVICE_NAME: z._default(z.string(), 'vestibule'),
  OTEL_TRACES_SAMPLER: z._default(
    z.enum(samplers, { error: `must be ${samplers.slice(0, -1).join(', ')} or ${samplers.at(-1)}` }),
    'parentbased_always_on',
  ),
  OTEL_TRACES_SAMPLER_ARG: z._default(share, 1),
};
