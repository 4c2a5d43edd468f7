import { useEffect, useEffectEvent, useRef } from 'react';
import type { Form } from './form.ts';
import { readFields } from './form-fields.ts';

/**
 * After an incorrect password, clears its field for the next attempt and focuses it. A password that was typed while the
 * other one was checked stays.
 */
export function useWrongPassword<Name extends string>(form: Form<Record<Name, string>>, name: Name): void {
  const sent = useRef('');
  const keep = useEffectEvent(() => {
    const { current } = form.props.ref;
    if (current) sent.current = String(readFields(current, [name])[name]);
  });
  const clear = useEffectEvent(() => {
    form.clear(name, sent.current);
    form.moveFocus(document.getElementById(name));
  });
  const { failure, request } = form;
  useEffect(() => {
    if (request.state === 'pending') keep();
  }, [request.state]);
  useEffect(() => {
    if (failure?.code === 'incorrect_password') clear();
  }, [failure]);
}
