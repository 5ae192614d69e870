import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from '@jest/globals'
import { sendUpstream } from './send-upstream'

test('a host that never finishes its TLS handshake has read nothing, and another one may be asked', async () => {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const sent = sendUpstream({
    upstream: { id: 'silent', baseUrl: `https://127.0.0.1:${port}/v1`, apiKey: null, setBy: 'test' },
    path: '/chat/completions',
    body: Buffer.from('{}'),
    connectTimeoutMs: 20,
    firstByteTimeoutMs: 500,
    signal: new AbortController().signal,
  })
  await expect(sent).rejects.toMatchObject({ kind: 'timeout', mayBill: false })
  server.close()
})
