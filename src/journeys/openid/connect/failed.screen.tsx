import { Text } from '../../../browser/language/text.tsx';
import { useQuery } from '../../../browser/navigation/navigation.tsx';
import { ClearLayout } from '../../../ui/layouts/frame.tsx';
import { ConnectOver } from './over.part.tsx';

/** The code of a protocol error (RFC 6749, section 4.1.2.1). Anything else in the address is not shown. */
const errorCode = /^[a-z_]{1,60}$/;

/** Of the request in the log. */
const referenceCode = /^[0-9A-F]{10}$/;

/** The request of an application was invalid, so it cannot even be notified. */
export default function ConnectFailed() {
  const { query } = useQuery();
  const code = query.get('error') ?? '';
  const reference = query.get('reference') ?? '';
  return (
    <ClearLayout>
      <ConnectOver>
        {errorCode.test(code) && (
          <p>
            <code>{code}</code>
          </p>
        )}
        {referenceCode.test(reference) && (
          <p>
            <Text id="connect_failed.reference" values={{ reference }} />
          </p>
        )}
      </ConnectOver>
    </ClearLayout>
  );
}
