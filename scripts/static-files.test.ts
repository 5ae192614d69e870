import { once } from 'node:events'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { listen } from '@/test/support/listen'
import { compressStaticFiles, staticFiles } from './static-files'

const SCRIPT = 'export const words = "once upon a time"\n'.repeat(100)
const directory = join(mkdtempSync(join(tmpdir(), 'tuppence-static-')), 'static')
const server = createServer()
let listening: Awaited<ReturnType<typeof listen>>

beforeAll(async () => {
  mkdirSync(join(directory, 'chunks'), { recursive: true })
  writeFileSync(join(directory, 'chunks/a.js'), SCRIPT)
  writeFileSync(join(directory, 'chunks/a.js.map'), '{}')
  writeFileSync(join(directory, '../secret.js.br'), 'secret')
  await compressStaticFiles(directory)
  const answer = await staticFiles(directory, '/_next/static/')
  server.on('request', (request, response) => {
    if (!answer(request, response)) response.writeHead(404).end('somebody else')
  })
  listening = await listen(server)
})

afterAll(() => listening.stop())

async function ask(path: string, headers: Record<string, string>) {
  const [response] = await once(get({ port: listening.port, path, headers }), 'response')
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

test.each([
  ['gzip, br', 'br', brotliDecompressSync],
  ['gzip, deflate', 'gzip', gunzipSync],
  ['gzip; q=0.5, br;q=0', 'gzip', gunzipSync],
] as const)(
  'a script is sent as compressed by the build to whoever accepts %s',
  async (accepted, encoding, open) => {
    const { status, headers, body } = await ask('/_next/static/chunks/a.js?v=1', {
      'accept-encoding': accepted,
    })
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      'content-type': 'application/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    })
    expect(open(body).toString()).toBe(SCRIPT)
  },
)

test.each([
  ['another encoding', '/_next/static/chunks/a.js', { 'accept-encoding': 'deflate, xgzip, br;q=0.0' }],
  ['no accepted encoding', '/_next/static/chunks/a.js', {}],
  ['a part of it', '/_next/static/chunks/a.js', { 'accept-encoding': 'br', range: 'bytes=0-1' }],
  ['what was not compressed', '/_next/static/chunks/a.js.map', { 'accept-encoding': 'br' }],
  ['a path that leads out', '/_next/static/../secret.js', { 'accept-encoding': 'br' }],
  ['the compressed file itself', '/_next/static/chunks/a.js.br', { 'accept-encoding': 'br' }],
])('%s is not handled', async (_, path, headers) => {
  expect(await ask(path, headers)).toMatchObject({ status: 404 })
})
