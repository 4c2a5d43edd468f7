import { lazy, Suspense, useEffect, useState } from 'react';
import { Text } from '../browser/language/text.tsx';
import { useMissingPath } from '../browser/navigation/page.tsx';
import { mayHaveSession } from '../browser/requests/session.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Title } from '../ui/layouts/card.tsx';
import { ClearLayout } from '../ui/layouts/frame.tsx';
import css from './not-found.module.css';

/** Only signed-in users load the menu. */
const SignedIn = lazy(async () => ({ default: (await import('./signed-in.part.tsx')).SignedIn }));

/** The page for an unknown address. */
export default function NotFoundPage() {
  const path = useMissingPath();
  const [isSignedIn, setSignedIn] = useState(false);
  useEffect(() => setSignedIn(mayHaveSession()), []);
  const content = (
    <>
      <Title lead={<Text id="not_found.lead" />}>
        {path ? (
          <Text id="not_found.path" values={{ path }} drawn={{ path: <span className={css.path}>{path}</span> }} />
        ) : (
          <Text id="not_found.page" />
        )}
      </Title>
      <p>
        <ButtonLink to="/" label="not_found.home" narrow />
      </p>
    </>
  );
  const alone = <ClearLayout>{content}</ClearLayout>;
  if (!isSignedIn) return alone;
  return (
    <Suspense fallback={alone}>
      <SignedIn>{content}</SignedIn>
    </Suspense>
  );
}
