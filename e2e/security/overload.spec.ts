import { mkdtempSync, rmSync } from 'node:fs'
import { type ClientRequest, request as post } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startApp } from '@/test/support/app-process'
import { UPSTREAM_PORT } from '@/test/support/ports'
import { expect, test } from '@/test/support/test'

const METRICS_TOKEN = 'a token of sixteen characters'
const UPLOAD_COUNT = 40
const UPLOAD_BYTES = 9_000_000
/** Much less than all uploads together, and much more than what passes through the sockets. */
const GROWTH_BYTES_MAX = 200_000_000
const FLOOD_COUNT = 100
/** Less than the buffers of a reader's connection. */
const PREPARED_BYTES_MAX = 256 * 1024

test('a page keeps nothing of what is posted to it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tuppence-overload-'))
  const app = await startApp({
    dataDirectory: directory,
    upstreamBaseUrl: `http://127.0.0.1:${UPSTREAM_PORT}/v1`,
    environment: { METRICS_TOKEN },
  })
  const uploads: ClientRequest[] = []
  try {
    const residentBytes = async () => {
      const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
      const metrics = await (await fetch(`${app.baseUrl}/api/metrics`, { headers })).text()
      return Number(/^process_resident_memory_bytes (\d+)/m.exec(metrics)?.[1])
    }
    expect((await fetch(app.baseUrl, { headers: { accept: 'text/html' } })).status).toBe(200)
    const bytesBefore = await residentBytes()
    const body = Buffer.alloc(UPLOAD_BYTES)
    const sent = Array.from({ length: UPLOAD_COUNT }, () => {
      const upload = post(app.baseUrl, { method: 'POST', headers: { 'content-length': 2 * UPLOAD_BYTES } })
      uploads.push(upload)
      return new Promise<void>((resolve, reject) => {
        upload.on('error', reject)
        upload.write(body, () => resolve())
      })
    })
    await Promise.all(sent)
    expect((await residentBytes()) - bytesBefore).toBeLessThan(GROWTH_BYTES_MAX)
  } finally {
    for (const upload of uploads) upload.destroy()
    await app.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})

test('of the languages in a request only the first sixteen are considered', async ({ request }) => {
  const headersFor = (count: number) => ({
    'accept-language': [...Array.from({ length: count - 1 }, () => 'sv'), 'de'].join(','),
  })
  const locationOf = async (count: number) =>
    (await request.get('/', { headers: headersFor(count), maxRedirects: 0 })).headers().location ?? null
  expect(await locationOf(16)).toBe('/de')
  expect(await locationOf(17)).toBeNull()
})

test('a page is not looked for at an address with more than a hundred parameters', async ({ request }) => {
  const parameters = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`).join('&')
  for (const path of ['/', '/pricing', '/sw.js']) {
    expect((await request.get(`${path}?${parameters(100)}`)).status(), path).toBe(200)
    const refused = await request.get(`${path}?${parameters(101)}`)
    expect(refused.status(), path).toBe(400)
    expect(await refused.json(), path).toMatchObject({ error: { code: 'invalid_request' } })
  }
})

test('a route’s answer that is made in advance is small, since Next keeps copies of it for each reader', async ({
  request,
}) => {
  for (const path of ['/diagram.js', '/wallet.js', '/sw.js']) {
    const answer = await request.get(path)
    expect(answer.status(), path).toBe(200)
    expect((await answer.body()).byteLength, path).toBeLessThan(PREPARED_BYTES_MAX)
  }
})

test('a client that sends many requests before it has an answer is cut off', async ({ baseURL }) => {
  const { hostname, port } = new URL(baseURL ?? '')
  const client = connect(Number(port), hostname).on('error', () => {})
  const closed = new Promise<boolean>(resolve => client.once('close', () => resolve(true)))
  client.resume().write('GET / HTTP/1.1\r\nHost: site.test\r\n\r\n'.repeat(50))
  const isClosed = await Promise.race([closed, wait(5_000, false)])
  client.destroy()
  expect(isClosed).toBe(true)
})

test('who asks for many pages at once waits for them, and a newcomer does not', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tuppence-flood-'))
  const app = await startApp({
    dataDirectory: directory,
    upstreamBaseUrl: `http://127.0.0.1:${UPSTREAM_PORT}/v1`,
    environment: { TRUSTED_PROXY_COUNT: '1' },
  })
  try {
    const open = async (address: string) => {
      const headers = { accept: 'text/html', 'x-forwarded-for': address }
      return (await fetch(app.baseUrl, { headers })).text()
    }
    // What the first pages take is loaded with them.
    await Promise.all(Array.from({ length: FLOOD_COUNT + 1 }, () => open('192.0.2.1')))
    let answeredCount = 0
    const flood = Array.from({ length: FLOOD_COUNT }, () => open('192.0.2.1').then(() => answeredCount++))
    await open('198.51.100.1')
    expect(answeredCount).toBeLessThan(FLOOD_COUNT / 2)
    await Promise.all(flood)
  } finally {
    await app.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})
