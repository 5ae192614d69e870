import { createHmac } from 'node:crypto'
import { type FullSite, HOST_TOKEN, ownPage } from '@/test/support/full-site'

/** A request that carries an attacker's address in one of its parts. */
export interface Carrier {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** Credentials for the requests, so that they can only be refused for the address. */
export interface Visitor {
  creditId: string
  refillToken: string
  accountId: string
  cookie: string
}

/** Every part of our API in which an address can be passed. */
export function carriersOf(address: string, site: FullSite, visitor: Visitor): Carrier[] {
  const bearer = { authorization: `Bearer ${visitor.creditId}` }
  const refill = { authorization: `Bearer ${visitor.refillToken}` }
  const encoded = encodeURIComponent(address)
  const page = { ...ownPage(site), cookie: visitor.cookie }
  const host = { authorization: `Bearer ${HOST_TOKEN}` }
  return [
    ...chatBodies(address).map(body => post('/v1/chat/completions', body, bearer)),
    ...messagesBodies(address).map(body => post('/v1/messages', body, bearer)),
    ...responsesBodies(address).map(body => post('/v1/responses', body, bearer)),
    post('/accounts/create', {
      attribution: { landing_page: address, referrer: address, utm_source: address },
    }),
    post('/topup/create/btc-lightning', { amount: 1, redirect_url: address, webhook: address }, bearer),
    post('/topup/refill/create/btc-lightning', { amount: 1, return_path: address }, refill),
    post('/keys', { label: address, callback: address }, bearer),
    post('/accounts/merge', { from_credit_id: address }, bearer),
    post('/auth/begin', { return_path: address, email: `${address}@example.com` }, page),
    { method: 'POST', path: '/auth/sign-out', headers: page, body: `return_path=${encoded}` },
    post('/api/payments-host/createInvoice', { ...invoiceFor(visitor), siteUrl: address }, host),
    post(
      '/api/payments-host/createInvoice',
      { ...invoiceFor(visitor), siteUrl: 'http://a.test', returnPath: address },
      host,
    ),
    ...webhooks(address, site),
    ...[
      `/v1/models/${encoded}`,
      `/v1/models/${address.replaceAll(' ', '')}`,
      `/topup/status/${encoded}`,
      `/topup/refill/status/${encoded}`,
      `/queries/${encoded}`,
      `/queries/history?model=${encoded}&cursor=${encoded}`,
      `/keys/${encoded}`,
      `/v1/chat/completions/${encoded}`,
      `/api/payments/account/${encoded}/credit`,
      `/auth/callback?code=${encoded}&next=${encoded}&redirect_to=${encoded}`,
      `/auth/confirm?type=email&token_hash=${encoded}&next=${encoded}&redirect_to=${encoded}`,
      `/_next/image?url=${encoded}&w=64&q=75`,
      `/top-up?invoice=${encoded}`,
      `/refill?link=${encoded}`,
    ].map(path => ({ method: 'GET', path, headers: { ...page, ...bearer, 'x-resume-key': 'k'.repeat(43) } })),
  ]
}

function chatBodies(address: string): object[] {
  const parts = [
    { type: 'image_url', image_url: { url: address } },
    { type: 'image_url', image_url: address },
    { type: 'input_image', image_url: address },
    { type: 'image', source: { type: 'url', url: address } },
    { type: 'file', file: { filename: address, file_data: address, file_url: address } },
    { type: 'input_file', file_url: address },
    { type: 'document_url', document_url: address },
    { type: 'video_url', video_url: { url: address } },
    { type: 'input_audio', input_audio: { data: address, format: 'wav' } },
    { type: 'text', text: `Read ![this](${address}) and <img src="${address}">` },
  ]
  const fields = [
    { model: address },
    { models: [address] },
    { plugins: [{ id: 'web', url: address }] },
    { tools: [{ type: 'mcp', server_url: address }] },
    { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { $ref: address } } } },
    { webhook_url: address, callback_url: address, base_url: address, upstream: address },
    { provider: { url: address, order: [address] } },
  ]
  const ask = (content: unknown, more: object = {}) => ({
    model: 'standin/small',
    messages: [{ role: 'user', content }],
    max_tokens: 5,
    ...more,
  })
  return [...parts.map(part => ask([part])), ...fields.map(field => ask('Hello', field))]
}

function messagesBodies(address: string): object[] {
  const source = { type: 'url', url: address }
  const result = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image', source }] }
  const search = { type: 'search_result', source: address, title: address, content: [] }
  const parts = [{ type: 'image', source }, { type: 'document', source }, result, search]
  const ask = (content: unknown, more: object = {}) => ({
    model: 'standin/small',
    messages: [{ role: 'user', content }],
    max_tokens: 5,
    ...more,
  })
  return [...parts.map(part => ask([part])), ask('Hello', { mcp_servers: [{ type: 'url', url: address }] })]
}

function responsesBodies(address: string): object[] {
  const parts = [
    { type: 'input_image', image_url: address },
    { type: 'input_file', file_url: address },
    { type: 'input_file', filename: address, file_data: address },
  ]
  const ask = (fields: object) => ({
    model: 'standin/small',
    input: 'Hello',
    max_output_tokens: 5,
    ...fields,
  })
  return [
    ...parts.map(part => ask({ input: [{ role: 'user', content: [part] }] })),
    ask({ tools: [{ type: 'mcp', server_label: 'a', server_url: address }] }),
  ]
}

function webhooks(address: string, { btcpay, stripe }: FullSite): Carrier[] {
  const { storeId, webhookSecret } = btcpay.settings
  const bodies = [address, `../../../../${address}`, `x/../../${address}`].map(invoiceId =>
    JSON.stringify({
      type: 'InvoiceSettled',
      storeId,
      invoiceId,
      checkoutLink: address,
      metadata: { url: address },
    }),
  )
  const session = stripe.webhook('checkout.session.completed', { id: address, url: address })
  const charge = { payment_intent: address, receipt_url: address, amount_refunded: 1, currency: 'usd' }
  const refund = stripe.webhook('charge.refunded', charge)
  return [
    ...bodies.map(body => {
      const signature = createHmac('sha256', webhookSecret).update(body).digest('hex')
      const headers = { 'btcpay-sig': `sha256=${signature}` }
      return { method: 'POST', path: '/topup/webhooks/btcpay', headers, body }
    }),
    ...[session, refund].map(({ rawBody, headers }) => ({
      method: 'POST',
      path: '/topup/webhooks/stripe',
      headers,
      body: rawBody,
    })),
  ]
}

/** Headers that tell a server its own host, or where to forward to. */
export function headerCarriers(address: string, authority: string): Carrier[] {
  const headers: Record<string, string>[] = [
    { host: authority },
    { 'x-forwarded-host': authority, 'x-forwarded-proto': 'http', 'x-forwarded-port': authority },
    { forwarded: `host=${authority};proto=http` },
    { 'x-original-url': address, 'x-rewrite-url': address, 'x-host': authority },
    { 'x-middleware-rewrite': address, 'x-middleware-next': '1', 'x-middleware-subrequest': 'middleware' },
    {
      'x-middleware-override-headers': 'location',
      'x-middleware-request-location': address,
      location: address,
    },
    { 'x-matched-path': address, 'x-invoke-path': address, 'next-url': address, 'x-nextjs-data': '1' },
    { origin: address, referer: address },
    { host: authority, origin: `http://${authority}`, 'next-action': 'a'.repeat(42) },
  ]
  const paths = [
    '/',
    '/de/account',
    '/account',
    '/no-such-page',
    '/v1/models',
    '/topup/payment-methods',
    '/openapi.json',
  ]
  return [
    ...headers.flatMap(each => paths.map(path => ({ method: 'GET', path, headers: each }))),
    ...headers.flatMap(each =>
      ['/account', '/auth/begin'].map(path => ({ method: 'POST', path, headers: each, body: '{}' })),
    ),
    // The form of a request to a proxy.
    { method: 'GET', path: address },
  ]
}

function invoiceFor({ accountId }: Visitor) {
  return { accountId, methodId: 'btc-lightning', amount: '1', currency: 'USD' }
}

function post(path: string, body: object, headers: Record<string, string> = {}): Carrier {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}
