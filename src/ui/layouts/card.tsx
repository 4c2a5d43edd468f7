import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react';
import { Text, useText } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import type { MessageId } from '../../messages/ids.ts';
import css from './card.module.css';

/** A bordered list of what a button does. */
export const PlainList = ({ children }: { children: ReactNode }) => <ul className={css.lines}>{children}</ul>;

interface PlainLineProps {
  /** Shown at the end of the line, such as a number. */
  end?: ReactNode;
  text?: MessageId;
  children?: ReactNode;
}

export const PlainLine = ({ end, text, children }: PlainLineProps) => (
  <li className={css.line}>
    <span>{text ? <Text id={text} /> : children}</span>
    {end && <span className={css.lineEnd}>{end}</span>}
  </li>
);

/** The heading of a part of a page; can get the focus. */
export const Heading = ({ text }: { text: MessageId }) => (
  <h2 tabIndex={-1}>
    <Text id={text} />
  </h2>
);

/** A section of a page for signed-in users. */
export const Card = ({ id, children }: { id?: string | undefined; children: ReactNode }) => (
  <section id={id} className={css.card}>
    {children}
  </section>
);

/** Two columns on a large screen (with `wide` pages); elsewhere one below the other. */
export const Columns = ({ beside, children }: { beside?: ReactNode; children: ReactNode }) => (
  <div className={css.columns}>
    <div className={css.columnOf}>{children}</div>
    <div className={css.columnOf}>{beside}</div>
  </div>
);

interface StackProps {
  /** A small gap for related elements; default: the gap between a form's fields. */
  tight?: boolean;
  children: ReactNode;
}

export const Stack = ({ tight = false, children }: StackProps) => (
  <div className={tight ? css.tight : css.stack}>{children}</div>
);

/** A form with its fields and button in a stack; takes the props of `useForm`. */
export const FormStack = (props: ComponentProps<'form'>) => <form {...props} className={css.stack} />;

/** Links and buttons below a form. */
export const BelowForm = ({ children }: { children: ReactNode }) => <div className={css.below}>{children}</div>;

interface TitleProps {
  /** One sentence under it. */
  lead?: ReactNode;
  /** All that it says; otherwise that is its content. */
  text?: MessageId;
  children?: ReactNode;
}

/** The page's heading. */
export const Title = ({ lead, text, children }: TitleProps) => (
  <div className={css.head}>
    <h1>{text ? <Text id={text} /> : children}</h1>
    {lead && <p className={css.lead}>{lead}</p>}
  </div>
);

interface StepTitleProps {
  title: MessageId;
  /** Names of others in the title, in any direction. */
  values?: Record<string, string>;
  lead?: MessageId;
}

/** The heading of a step within a page; takes the focus and sets the tab's title. */
export function StepTitle({ title, values, lead }: StepTitleProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { setStep, settings } = usePage();
  const t = useText();
  const words = t(title, values);
  useEffect(() => heading.current?.focus(), []);
  useEffect(() => {
    // Tabs show soft hyphens of long words.
    setStep(`${words.replaceAll('\u00ad', '')} – ${settings.productName}`);
    return () => setStep(undefined);
  }, [words, settings, setStep]);
  return (
    <div className={css.head}>
      <h1 ref={heading} tabIndex={-1}>
        {values ? <Text id={title} values={values} dir="auto" /> : words}
      </h1>
      {lead && <p className={css.lead}>{t(lead)}</p>}
    </div>
  );
}

interface SheetProps {
  /** Its heading; none if the page's title says the same. */
  title?: MessageId | undefined;
  /** Shown at the end of the heading's line. */
  aside?: ReactNode;
  busy?: boolean;
  /** Rows that reach from edge to edge. */
  children: ReactNode;
}

/** A section of rows that reach from edge to edge. */
export const Sheet = ({ title, aside, busy = false, children }: SheetProps) => (
  <section className={css.sheet} aria-busy={busy || undefined}>
    {title && (
      <div className={css.sheetHead}>
        <Heading text={title} />
        {aside}
      </div>
    )}
    {children}
  </section>
);

interface SheetLeadProps {
  readonly text: MessageId;
  readonly values?: Record<string, number>;
  /** Buttons beside it. */
  readonly children: ReactNode;
}

/** What a sheet is about, above its rows, and buttons that add some. */
export const SheetLead = ({ text, values, children }: SheetLeadProps) => (
  <div className={css.intro}>
    <p>
      <Text id={text} {...(values && { values })} />
    </p>
    {children}
  </div>
);

/** The last line of a sheet: links and buttons, or a legend. */
export const SheetFoot = ({ children }: { children: ReactNode }) => <div className={css.foot}>{children}</div>;

/** Says that there are no rows. */
export const SheetEmpty = ({ id, role }: { id: MessageId; role?: 'status' }) => (
  <p className={css.empty} role={role}>
    <Text id={id} />
  </p>
);

/** Content of a sheet with space around it. */
export const SheetPart = ({ children }: { children: ReactNode }) => <div className={css.part}>{children}</div>;
