import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'

let settings = { sandbox: { upstream: true } }
jest.unstable_mockModule('@/lib/config/server-settings', () => ({ serverSettings: () => settings }))
const { handleSandbox, missingInSandbox } = await import('./handle-sandbox')
const { sandboxUpstream } = await import('./sandbox-upstream')
const { sandboxUpstreamToken } = await import('./sandbox-upstream')

const handler = jest.fn(async () => new Response('answer'))
const handle = handleSandbox(handler)

beforeEach(() => {
  settings = { sandbox: { upstream: true } }
})
afterEach(() => {
  handler.mockClear()
})

function call(authorization?: string): Promise<Response> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
  return handle(new Request('http://site.test/', { headers }))
}

test('is absent when the sandbox upstream is off, even with the right token', async () => {
  settings = { sandbox: { upstream: false } }
  expect((await call(`Bearer ${sandboxUpstreamToken()}`)).status).toBe(404)
  expect(handler).not.toHaveBeenCalled()
})

test.each([[undefined], [''], ['Bearer '], ['Bearer undefined'], ['Bearer x']])(
  'refuses the authorization %j',
  async authorization => {
    expect((await call(authorization)).status).toBe(401)
    expect(handler).not.toHaveBeenCalled()
  },
)

test("answers with this process's token, which its own upstream settings carry", async () => {
  const upstream = sandboxUpstream(3210)
  expect(upstream.baseUrl).toBe('http://127.0.0.1:3210/sandbox/upstream/v1')
  expect(await (await call(`Bearer ${upstream.apiKey}`)).text()).toBe('answer')
})

test('a path that it does not have is told so in the form of the API’s errors', async () => {
  const authorization = `Bearer ${sandboxUpstreamToken()}`
  const response = await missingInSandbox(
    new Request('http://site.test/sandbox/upstream/v1/files', { headers: { authorization } }),
  )
  expect([response.status, (await response.json()).error.code]).toEqual([404, 'not_found'])
})
