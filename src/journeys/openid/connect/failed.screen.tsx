import { Paragraph } from '../../../browser/language/text.tsx';
import { useQuery } from '../../../browser/navigation/navigation.tsx';
import { ClearLayout } from '../../../ui/layouts/frame.tsx';
import { ConnectOver } from './over.part.tsx';

/** Of the request in the log. */
const referenceCode = /^[0-9A-F]{10}$/;

/** The request of an application was invalid, so it cannot even be notified. Its code says nothing to visitors; operators find it by the reference. */
export default function ConnectFailed() {
  const { query } = useQuery();
  const reference = query.get('reference') ?? '';
  return (
    <ClearLayout>
      <ConnectOver>
        {referenceCode.test(reference) && <Paragraph id="connect_failed.reference" values={{ reference }} />}
      </ConnectOver>
    </ClearLayout>
  );
}
