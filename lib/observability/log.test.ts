import { expect, jest, test } from '@jest/globals'
import { log } from './log'

test('text from outside cannot start a new line in a log line', () => {
  process.env.LOG_FORMAT = 'text'
  const written: string[] = []
  jest.spyOn(process.stderr, 'write').mockImplementation(text => written.push(String(text)) > 0)
  log.error('refused', {
    error: new Error('no\n12:00:00 info  all is well\u001b[2J\r\u2028gone'),
    model: 'a\nb',
  })
  expect(written.join('').trimEnd()).toMatch(/^[^\p{Cc}\u2028]*$/u)
  expect(written).toEqual([expect.stringContaining('refused  model=a b  error=Error: no 12:00:00 info')])
})
