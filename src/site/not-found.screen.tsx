import { Text } from '../browser/language/text.tsx';
import { useMissingPath } from '../browser/navigation/failure-page.ts';
import { Link } from '../browser/navigation/navigation.tsx';
import button from '../ui/button.module.css';
import { IsolatedText } from '../ui/feedback/isolated-text.tsx';
import { ClearLayout } from '../ui/layouts/clear-layout.tsx';
import form from '../ui/layouts/form.module.css';
import { Title } from '../ui/layouts/title.tsx';

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
