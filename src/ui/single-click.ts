/** Ignores the second click of a double click: by then, the button does the opposite, or that of another line is there. */
export const singleClick =
  (act: () => void) =>
  ({ detail }: { detail: number }): void => {
    if (detail < 2) act();
  };
