import { useQuery } from '../../../browser/navigation/navigation.tsx';
import { ClearLayout } from '../../../ui/layouts/frame.tsx';
import { ConnectOver } from './over.part.tsx';

/** The code of a protocol error (RFC 6749, section 4.1.2.1). Anything else in the address is not shown. */
const errorCode = /^[a-z_]{1,60}$/;

/** The request of an application was invalid, so it cannot even be notified. */
export default function ConnectFailed() {
  const code = useQuery().query.get('error') ?? '';
  return (
    <ClearLayout>
      <ConnectOver>
        {errorCode.test(code) && (
          <p>
            <code>{code}</code>
          </p>
        )}
      </ConnectOver>
    </ClearLayout>
  );
}
