import type { Locator } from 'playwright-core';

/** Pastes into an empty field, as a browser does. Its clipboard would also belong to tests that run at the same time. */
export const paste = (field: Locator, text: string): Promise<void> =>
  field.evaluate((element, pasted) => {
    const input = element as HTMLInputElement;
    input.focus();
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', pasted);
    const isAllowed = input.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
    if (!isAllowed) return;
    input.value = '';
    input.setRangeText(pasted, 0, 0, 'end');
    input.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste', data: pasted, bubbles: true }));
  }, text);
