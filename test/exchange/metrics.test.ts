import { expect, test } from '@jest/globals'
import { readText } from './caller'
import { describeSite } from './site'

const METRICS_TOKEN = 'reads what this process did'

describeSite('the metrics of the process', { host: 'plain', environment: { METRICS_TOKEN } }, site => {
  async function figures(): Promise<(name: string) => number> {
    const response = await fetch(`${site.url}/api/metrics`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    })
    const lines = (await response.text()).split('\n')
    return name => Number(lines.find(line => line.startsWith(`${name} `))?.slice(name.length + 1) ?? 0)
  }

  test('after paid calls agree with the ledger', async () => {
    const before = await figures()
    const customer = await site.fund(1)
    site.upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Ho ', times: 20 }] } })
    await readText(customer.chat({ stream: true }))
    await readText(customer.draw())
    site.upstream.setScript({ chat: { status: 400, body: { error: { message: 'no' } } } })
    expect((await customer.chat()).status).toBe(400)
    const [books, after] = [await site.books(), await figures()]
    const risen = (name: string) => after(name) - before(name)
    expect(books.chargedNano).toBeGreaterThan(0n)
    expect(risen('tuppence_charged_usd_total')).toBeCloseTo(Number(books.chargedNano) / 1e9, 9)
    expect(risen('tuppence_operator_loss_usd_total')).toBeCloseTo(Number(books.lossNano) / 1e9, 9)
    expect(risen('tuppence_holds_total{event="placed"}')).toBe(3)
    expect(risen('tuppence_holds_total{event="settled"}')).toBe(2)
    expect(risen('tuppence_holds_total{event="released"}')).toBe(1)
    expect(after('tuppence_exchanges_running')).toBe(0)
    const { host } = new URL(site.upstream.baseUrl)
    expect(risen(`tuppence_upstream_errors_total{host="${host}",kind="client_fault"}`)).toBe(1)
    expect(risen(`tuppence_first_token_seconds_count{host="${host}"}`)).toBe(2)
    const asked = 'method="POST",route="/v1/chat/completions"'
    expect(risen(`tuppence_http_requests_total{${asked},status="200"}`)).toBe(1)
    expect(risen(`tuppence_http_requests_total{${asked},status="400"}`)).toBe(1)
  })

  test('have no label with text from a request', async () => {
    const customer = await site.fund(1)
    for (const path of ['/v1/nowhere', '/keys/1/2/3', '/api/v1/x'])
      await readText(customer.send('GET', `${path}/made-up-by-visitor`))
    await readText(customer.chat({ model: 'made-up-by-visitor' }))
    const response = await fetch(`${site.url}/api/metrics`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    })
    const text = await response.text()
    expect(text).toContain('route="none"')
    expect(text).not.toContain('made-up-by-visitor')
    expect(text).not.toContain(customer.accountId)
  })
})
