import { expect, test } from '@jest/globals'
import { usageDetail } from './usage'

test('a usage without the fields that came later is still read, of an older call or from an older deployment', () => {
  const first = {
    status: 'completed',
    errorCode: null,
    inputTokenCount: 9,
    cachedInputTokenCount: 0,
    outputTokenCount: 1,
    reasoningTokenCount: 0,
    estimated: false,
    costBasis: 'upstream_tokens',
    upstreamId: 'host',
    durationMs: 20,
    timeToFirstTokenMs: 10,
  }
  expect(usageDetail.safeParse(first).data).toEqual(first)
})
