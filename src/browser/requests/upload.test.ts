import { expect, it } from 'vitest';
import { uploadChunkBytes } from '../constants.ts';
import { chunks } from './send.ts';

it('a large body is sent in chunks of 64 KB', async () => {
  const sizes: number[] = [];
  for await (const chunk of chunks(new Uint8Array(uploadChunkBytes * 2 + 1))) sizes.push(chunk.length);
  expect(sizes).toEqual([uploadChunkBytes, uploadChunkBytes, 1]);
});
