/** What a program says when the machine, not the project, is at fault. @type {readonly [RegExp, string][]} */
const signs = [
  [/ENOSPC|No space left on device|could not extend file/i, 'the disk is full: free some space and try again'],
  [
    /ENOMEM|Cannot allocate memory|JavaScript heap out of memory|ended by SIGKILL|could not (?:create|map) (?:anonymous )?shared memory/i,
    'there is not enough memory: end other programs and try again',
  ],
  [/EADDRINUSE/, 'a port was taken by another program: try again'],
  [/EMFILE|ENFILE|Too many open files/i, 'too many files are open: raise the limit (`ulimit -n`) and try again'],
  [/EAGAIN.*(?:fork|spawn)|(?:fork|spawn)\b.*EAGAIN|Resource temporarily unavailable/i, 'there are too many processes'],
];

/** What was wrong with the machine, in one line; undefined when the output shows no such thing. */
export const machineTrouble = (/** @type {string} */ output) => signs.find(([sign]) => sign.test(output))?.[1];
