import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, jest, test } from '@jest/globals'
import { sendConsoleToLog } from './console-to-log'

const { error, warn } = console
afterEach(() => {
  Object.assign(console, { error, warn })
  jest.restoreAllMocks()
})

test('what libraries write to the console becomes a line of the log, without secrets, causes and fields', () => {
  const written: string[] = []
  jest.spyOn(process.stderr, 'write').mockImplementation(text => written.push(String(text)) > 0)
  sendConsoleToLog()
  const cause = new Error('a cause that repeats the request')
  const failure = Object.assign(new Error('refused: authorization: Bearer of-the-operator', { cause }), {
    headers: { authorization: 'Bearer of-the-operator' },
  })
  console.error('⨯ unhandledRejection:', failure, { apiKey: 'of-the-operator' })
  console.warn('an old setting')
  expect(written.map(line => JSON.parse(line))).toMatchObject([
    {
      level: 'error',
      message: expect.stringMatching(
        /^⨯ unhandledRejection: Error: refused: authorization: \[secret\]\n {4}at /,
      ),
    },
    { level: 'warn', message: 'an old setting' },
  ])
  expect(written.join('')).not.toMatch(/of-the-operator|a cause/)
})

test('a visitor who leaves while sending a request is no error', async () => {
  const written: string[] = []
  jest.spyOn(process.stderr, 'write').mockImplementation(text => written.push(String(text)) > 0)
  sendConsoleToLog()
  const server = createServer().listen(0)
  const visitor = connect((server.address() as AddressInfo).port)
  visitor.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{')
  const [request] = await once(server, 'request')
  visitor.destroy()
  const [error] = await once(request, 'error')
  server.close()
  console.error(error)
  console.error('⨯ uncaughtException: ', error)
  expect(written).toEqual([])
})

test('a session that the sign-in service refuses is told of elsewhere, and a service that is away is a warning', async () => {
  const written: string[] = []
  jest.spyOn(process.stderr, 'write').mockImplementation(text => written.push(String(text)) > 0)
  sendConsoleToLog()
  const ofSupabase = (name: string, message: string, code?: string) =>
    Object.assign(new Error(message), { name, code })
  for (const code of ['refresh_token_not_found', 'refresh_token_already_used', 'session_expired'])
    console.warn(ofSupabase('AuthApiError', 'Invalid Refresh Token', code))
  console.error(ofSupabase('AuthApiError', 'User is banned', 'user_banned'))
  expect(written).toEqual([])
  console.warn(ofSupabase('AuthRetryableFetchError', 'fetch failed'))
  expect(written.map(line => JSON.parse(line))).toMatchObject([
    { level: 'warn', message: expect.stringContaining('fetch failed') },
  ])
})

test('a host that breaks off its answer is an error', async () => {
  const written: string[] = []
  jest.spyOn(process.stderr, 'write').mockImplementation(text => written.push(String(text)) > 0)
  sendConsoleToLog()
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 2 }).write('{', () => response.destroy())
  }).listen(0)
  const [response] = await once(get({ port: (server.address() as AddressInfo).port }), 'response')
  const [error] = await once(response.resume(), 'error')
  server.close()
  console.error(error)
  expect(written.join('')).toContain('Error: aborted')
})
