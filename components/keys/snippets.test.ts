import { expect, test } from '@jest/globals'
import { SNIPPET_LANGUAGES, snippet } from './snippets'

test.each(SNIPPET_LANGUAGES)('the %s snippet names the address, the key and the model', language => {
  const code = snippet(language, { baseUrl: 'https://site.test/v1', secret: 'sk-abc', modelId: 'a/b:free' })
  for (const part of ['https://site.test/v1', 'sk-abc', '"a/b:free"']) expect(code).toContain(part)
})

test('the body in the curl snippet is JSON', () => {
  const code = snippet('curl', { baseUrl: 'https://site.test/v1', secret: 'sk-abc', modelId: 'a/b' })
  const body = /-d '(.*)'$/s.exec(code)?.[1] ?? ''
  expect(JSON.parse(body)).toMatchObject({ model: 'a/b', messages: [{ role: 'user' }] })
})
