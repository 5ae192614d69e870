import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { inTurn } from './in-turn'

const begun: { path: string; response: ServerResponse }[] = []
const server = createServer(
  inTurn(({ url = '' }, response) => {
    begun.push({ path: url, response })
  }),
)

beforeEach(async () => {
  begun.length = 0
  await once(server.listen(0, '127.0.0.1'), 'listening')
})

afterEach(async () => {
  server.closeAllConnections()
  await once(server.close(), 'close')
})

test('requests that are sent together are answered one after the other', async () => {
  const client = send(['/first', '/second', '/third'])
  const received: string[] = []
  client.on('data', bytes => received.push(bytes.toString()))
  for (const paths of [['/first'], ['/first', '/second'], ['/first', '/second', '/third']]) {
    await wait(50)
    expect(begun.map(({ path }) => path)).toEqual(paths)
    begun.at(-1)?.response.end(`answer to ${paths.at(-1)}.`)
  }
  await wait(50)
  expect(received.join('').match(/answer to \/\w+\./g)).toEqual([
    'answer to /first.',
    'answer to /second.',
    'answer to /third.',
  ])
})

test('a later request on the same connection is answered', async () => {
  const client = send(['/first'])
  await wait(50)
  begun[0]?.response.end('done')
  await once(client, 'data')
  client.write(requestFor('/second'))
  await wait(50)
  expect(begun.map(({ path }) => path)).toEqual(['/first', '/second'])
})

test('nothing is begun for a client that has left', async () => {
  const client = send(['/first', '/second', '/third'])
  await wait(50)
  client.destroy()
  await wait(50)
  expect(begun.map(({ path }) => path)).toEqual(['/first'])
})

test('a connection with more requests than any client sends is closed', async () => {
  const client = send(Array.from({ length: 17 }, (_, index) => `/${index}`))
  client.on('error', () => {})
  await once(client, 'close')
  expect(begun).toHaveLength(1)
})

function send(paths: readonly string[]) {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write(paths.map(requestFor).join(''))
  return client
}

function requestFor(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: site.test\r\n\r\n`
}
