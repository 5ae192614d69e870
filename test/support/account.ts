import type { APIRequestContext, Page } from '@playwright/test'

export interface TestAccount {
  creditId: string
  apiKey: string
}

/** A new account with this many dollars, topped up through the sandbox as a visitor would. */
export async function createAccount(request: APIRequestContext, amountUsd: number): Promise<TestAccount> {
  const created = await request.post('/accounts/create')
  const { credit_id: creditId, api_key: apiKey } = await created.json()
  if (amountUsd > 0) await topUp(request, creditId, amountUsd)
  return { creditId, apiKey }
}

async function topUp(request: APIRequestContext, creditId: string, amountUsd: number): Promise<void> {
  const headers = { authorization: `Bearer ${creditId}` }
  const invoice = await request.post('/topup/create/btc-lightning', {
    headers,
    data: { amount: amountUsd, currency: 'USD' },
  })
  const { invoice_id: invoiceId } = await invoice.json()
  const paid = await request.post(`/topup/sandbox/${invoiceId}/pay`, { headers, data: { fraction: 1 } })
  if (!paid.ok()) throw new Error(`sandbox payment failed: ${paid.status()} ${await paid.text()}`)
}

/**
 * Puts the credit into the browser, once: the page may change or remove it afterwards. Nothing else of the site has been
 * opened there yet: a page of it would take longer than many a test.
 */
export async function holdCredit(page: Page, creditId: string): Promise<void> {
  await page.goto('/robots.txt')
  await page.evaluate(id => localStorage.setItem('credit_id', id), creditId)
}

export async function balanceUsd(request: APIRequestContext, creditId: string): Promise<number> {
  const response = await request.get(`/api/payments/account/${creditId}/credit`)
  return (await response.json()).amount_usd
}
