import { useMissingPath } from '../browser/failure-page.ts';
import { Link } from '../browser/navigation.tsx';
import { Text } from '../browser/text.tsx';
import button from './button.module.css';
import { ClearLayout } from './clear-layout.tsx';
import form from './form.module.css';
import { IsolatedText } from './isolated-text.tsx';
import { Title } from './title.tsx';

/** There is no page at this address. */
export default function NotFoundPage() {
  const path = useMissingPath();
  return (
    <ClearLayout>
      <Title title="not_found.page" lead="not_found.lead" />
      <div className={form.form}>
        {path && (
          <p>
            <IsolatedText id="not_found.path" values={{ path }} />
          </p>
        )}
        <Link to="/" className={`${button.button} ${button.wide}`}>
          <Text id="not_found.home" />
        </Link>
      </div>
    </ClearLayout>
  );
}
