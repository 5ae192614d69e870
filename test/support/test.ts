import { test as base, expect } from '@playwright/test'
import type { Script } from '@/test/stand-ins/upstream-script'
import { balanceUsd, createAccount, holdCredit, type TestAccount } from './account'
import { UPSTREAM_PORT } from './ports'

const UPSTREAM = `http://127.0.0.1:${UPSTREAM_PORT}`

/** The scripted upstream that the app under test talks to. */
export interface UpstreamControl {
  /** What it answers from now on; restored to the friendly script after the test. */
  setScript(script: Script): Promise<void>
  openGate(name: string): Promise<void>
  /** Resolves when an answer waits at that gate. */
  gateReached(name: string): Promise<void>
  requests(): Promise<{ method: string; path: string; body: unknown; abortedAt: number | null }[]>
}

interface Fixtures {
  upstream: UpstreamControl
  /** A page whose browser holds a credit with a dollar on it. */
  funded: TestAccount
  balance: (account: TestAccount) => Promise<number>
}

export const test = base.extend<Fixtures>({
  upstream: async ({ request }, use) => {
    const post = async (path: string, data: unknown = {}) => {
      const response = await request.post(`${UPSTREAM}${path}`, { data })
      if (!response.ok()) throw new Error(`stand-in upstream: ${response.status()} at ${path}`)
    }
    await request.delete(`${UPSTREAM}/__requests`)
    await use({
      setScript: script => post('/__script', script),
      openGate: name => post(`/__gates/${name}`),
      gateReached: async name => {
        await request.get(`${UPSTREAM}/__gates/${name}`)
      },
      requests: async () => (await request.get(`${UPSTREAM}/__requests`)).json(),
    })
    await post('/__script', {})
  },
  funded: async ({ page, request }, use) => {
    const account = await createAccount(request, 1)
    await holdCredit(page, account.creditId)
    await use(account)
  },
  balance: async ({ request }, use) => {
    await use(account => balanceUsd(request, account.creditId))
  },
})

export { expect }
