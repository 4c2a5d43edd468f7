/** Output that indicates a problem of the machine, not of the project. @type {readonly [RegExp, string][]} */
const signs = [
  [/ENOSPC|No space left on device|could not extend file/i, 'the disk is full: free some space and try again'],
  [
    /ENOMEM|Cannot allocate memory|JavaScript heap out of memory|ended by SIGKILL|could not (?:create|map) (?:anonymous )?shared memory/i,
    'there is not enough memory: end other programs and try again',
  ],
  [/EADDRINUSE/, 'another program uses the same port: try again'],
  [/EMFILE|ENFILE|Too many open files/i, 'too many files are open: raise the limit (`ulimit -n`) and try again'],
  [/EAGAIN.*(?:fork|spawn)|(?:fork|spawn)\b.*EAGAIN|Resource temporarily unavailable/i, 'there are too many processes'],
];

/** The problem of the machine in one line; undefined if the output shows none. */
export const machineTrouble = (/** @type {string} */ output) => signs.find(([sign]) => sign.test(output))?.[1];
