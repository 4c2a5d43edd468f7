import { minutes } from '../../../contract/durations.ts';
import { Failure } from '../../../contract/failures.ts';
import type { ReportedCall, ReportFields } from '../../../phone-calls/provider.ts';
import type { Service } from '../../../server/service.ts';
import { findCall, type PhoneCallsTable } from '../../../store/calls/phone-calls.ts';
import { findReportedWait } from '../../../store/calls/reverse-waits.ts';
import { confirmReverseCall } from './confirm-reverse-call.ts';
import { isReportToken } from './report-url.ts';

/** Providers' clocks may be behind ours. */
const clockSkew = minutes(1);

interface SecretReport {
  readonly call: string;
  readonly token: string;
  readonly fields: ReportFields;
}

/** Receives a report at the secret URL of a call; whether it confirmed the call. Throws `not_found` without the token. */
export async function receiveCallReport(service: Service, { fields, ...url }: SecretReport): Promise<boolean> {
  if (!isReportToken(service, url)) throw new Failure('not_found');
  const call = await findCall(service.store, url.call);
  if (!call || call.provider === null || !isPending(call, service.now())) return false;
  const report = service.calls.readReport({ provider: call.provider, fields, isSigned: false });
  return report !== undefined && confirmIfReported(service, call, report);
}

interface SignedReport {
  readonly provider: string;
  readonly fields: ReportFields;
}

/** Receives a signed report about any call of a provider; whether it confirmed one. */
export async function receiveSignedReport(service: Service, { provider, fields }: SignedReport): Promise<boolean> {
  const report = service.calls.readReport({ provider, fields, isSigned: true });
  if (report?.at === undefined) return false;
  const call = await findReportedWait(service.store, { provider, phone: report.phone, now: service.now() });
  // A provider may repeat an old report, about a call for someone else's earlier wait.
  if (!call || report.at < call.created_at - clockSkew) return false;
  return confirmIfReported(service, call, report);
}

const isPending = ({ way, state, expires_at }: PhoneCallsTable, now: number): boolean =>
  way === 'reverse' && state === 'placed' && expires_at > now;

/** The report must be about the phone that we wait for, and agree with everything that the provider named earlier. */
async function confirmIfReported(
  service: Service,
  call: PhoneCallsTable,
  { phone, number, reference }: ReportedCall,
): Promise<boolean> {
  const agrees =
    phone === call.phone &&
    (number === undefined || number === call.number) &&
    (reference === undefined || reference === call.reference);
  if (!agrees || call.reference === null) return false;
  await confirmReverseCall(service, { id: call.id, reference: call.reference });
  return true;
}
