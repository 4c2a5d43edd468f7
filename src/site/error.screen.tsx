import { Text } from '../browser/language/text.tsx';
import { useReference } from '../browser/navigation/failure-page.ts';
import { Link } from '../browser/navigation/navigation.tsx';
import button from '../ui/button.module.css';
import { IsolatedText } from '../ui/feedback/isolated-text.tsx';
import { ClearLayout } from '../ui/layouts/clear-layout.tsx';
import form from '../ui/layouts/form.module.css';
import { Title } from '../ui/layouts/title.tsx';

/** Something of ours failed: one way on, and what to name to the support. */
export default function ErrorPage() {
  const reference = useReference();
  return (
    <ClearLayout>
      <Title title="error_page.page" lead="error_page.lead" />
      <div className={form.form}>
        <button type="button" className={`${button.button} ${button.wide}`} onClick={() => location.reload()}>
          <Text id="error_page.retry" />
        </button>
        {reference && (
          <p>
            <IsolatedText id="error_page.reference" values={{ reference }} />
          </p>
        )}
      </div>
      <p className={form.after}>
        <Link to="/">
          <Text id="error_page.home" />
        </Link>
      </p>
    </ClearLayout>
  );
}
