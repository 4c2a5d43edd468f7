import { Text } from '../../../browser/language/text.tsx';
import { notifyAccountChanged } from '../../../browser/requests/account-changes.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import type { consentGiven, readAccount } from '../../../contract/account.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Failed } from '../../../ui/feedback/notice.tsx';
import { Overdue } from '../../../ui/feedback/overdue.tsx';
import { changeAccount } from '../account.contract.ts';
import { Line, Lines, useTimes } from '../lines.part.tsx';

type Account = ResponseBody<typeof readAccount>;
type Consent = (typeof consentGiven)['_zod']['output'];

/** The same texts as in the forms that asked for consent. */
const words: Readonly<Record<Consent['kind'], MessageId>> = {
  personal_data: 'register.consent_personal_data',
  terms: 'frame.terms',
  offers: 'register.consent_offers',
};
const kinds = Object.keys(words) as Consent['kind'][];

/** Lists the consents with their times and versions; consent to offers can be withdrawn. */
export function Consents({ account }: { account: Account }) {
  const answering = useRequest(async (signal, given: boolean) => {
    await sendRequest(changeAccount, { body: { consent_offers: given }, signal });
    notifyAccountChanged();
  });
  const consents = kinds.map((kind) => ({ kind, consent: account.consents.find((one) => one.kind === kind) }));
  return (
    <>
      <Lines>
        {consents
          .filter(({ kind, consent }) => consent || kind === 'offers')
          .map(({ kind, consent }) => (
            <Line
              key={kind}
              title={<Text id={words[kind]} />}
              details={[<Standing key="given" consent={consent} />, <Document key="document" consent={consent} />]}
              action={
                kind === 'offers' && {
                  label: consent?.given ? 'account.withdraw' : 'account.agree',
                  act: () => void answering.start(!consent?.given),
                }
              }
            />
          ))}
      </Lines>
      <Failed failure={answering.error} />
      <Overdue waiting={answering.state === 'pending'} />
    </>
  );
}

function Standing({ consent }: { consent: Consent | undefined }) {
  const { when: time } = useTimes();
  if (!consent?.given) return <Text id="account.consent_absent" />;
  return <Text id="account.consent_given" dir="auto" values={{ when: time(consent.at), version: consent.version }} />;
}

const Document = ({ consent }: { consent: Consent | undefined }) =>
  consent?.document ? (
    <a href={consent.document} target="_blank" rel="noopener">
      <Text id={consent.kind === 'terms' ? 'frame.terms' : 'frame.privacy'} />
    </a>
  ) : null;
