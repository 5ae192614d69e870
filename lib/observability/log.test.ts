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

test('on Vercel, which shows all of stderr as errors, only what needs somebody goes there', async () => {
  const environment = { ...process.env }
  Object.assign(process.env, { VERCEL: '1', LOG_LEVEL: 'debug', LOG_FORMAT: 'json' })
  jest.resetModules()
  const { log: logOnVercel } = await import('./log')
  const written: string[] = []
  for (const name of ['stdout', 'stderr'] as const)
    jest
      .spyOn(process[name], 'write')
      .mockImplementation(text => written.push(`${name} ${JSON.parse(String(text)).level}`) > 0)
  for (const level of ['debug', 'info', 'warn', 'error'] as const) logOnVercel[level]('told')
  jest.restoreAllMocks()
  process.env = environment
  expect(written).toEqual(['stdout debug', 'stdout info', 'stderr warn', 'stderr error'])
})
