import { expect, test } from '@jest/globals'
import { localUpstreams } from './local-upstreams'

test('the port that this app listens on is never asked', () => {
  expect(localUpstreams(8080).map(({ baseUrl }) => baseUrl)).toEqual([
    'http://127.0.0.1:11434/v1',
    'http://127.0.0.1:1234/v1',
  ])
  expect(localUpstreams(3000).map(({ id }) => id)).toEqual(['ollama', 'lm-studio', 'llama-cpp'])
})
