import * as z from 'zod/mini';
import { textLike } from '../../contract/setting-values.ts';

const samplers = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);

const collector = textLike((value) => {
  const { protocol = '', search = '', hash = '' } = URL.parse(value) ?? {};
  return /^https?:$/.test(protocol) && search === '' && hash === '';
}, 'must be the URL of a collector, such as http://127.0.0.1:4318');

/** Values may be percent-encoded, as OpenTelemetry defines. */
const headers = /^(?:\s*(?:[\w!#$&'*+.^`|~-]+\s*=(?:[\x20-\x24\x26-\x2b\x2d-\x7e]|%[2-7][\da-f])*)?(?:,|$))*$/i;

const share = z.pipe(textLike(/^(?:0|1|0?\.\d+|1\.0+)$/, 'must be a share from 0 to 1'), z.transform(Number));

/** The settings of tracing; OpenTelemetry defines their names and values. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z.optional(collector),
  OTEL_EXPORTER_OTLP_HEADERS: z._default(textLike(headers, 'must be name=value, separated by commas'), ''),
  OTEL_SERVICE_NAME: z._default(z.string(), 'vestibule'),
  OTEL_TRACES_SAMPLER: z._default(
    z.enum(samplers, { error: `must be ${samplers.slice(0, -1).join(', ')} or ${samplers.at(-1)}` }),
    'parentbased_always_on',
  ),
  OTEL_TRACES_SAMPLER_ARG: z._default(share, 1),
};
