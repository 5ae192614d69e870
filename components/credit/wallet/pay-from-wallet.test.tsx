/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import type { InvoiceStatus } from '@/lib/api/contracts/invoices'
import type { WalletQuestion, WalletReply } from '@/lib/payments/client/wallet-frame'
import { renderInEnglish } from '@/test/support/render'

let replyToPayment: WalletReply
jest.unstable_mockModule('./wallet', () => ({
  isWalletUnlocked: () => true,
  unlockWallet: async () => true,
  useWallet: () => ({ lock: { kind: 'passkey' }, isUnlocked: true }),
  askOwnWallet: async ({ kind }: WalletQuestion): Promise<WalletReply> =>
    kind === 'pay' ? replyToPayment : { kind: 'refused', code: 'NOT_FOUND' },
}))
const { PayFromWallet } = await import('./pay-from-wallet')

/** "Please send $3 for a cup of coffee", from BOLT #11: 2,500 microbitcoin. */
const INVOICE = {
  lightning_invoice:
    'lnbc2500u1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpuaztrnwngzn3kdzw5hydlzf03qdgm2hdq27cqv3agm2awhz5se903vruatfhq77w3ls4evs3ch9zw97j25emudupq63nyw24cg27h2rspfj9srp',
  crypto_amount_due: 0.0025,
} as InvoiceStatus

async function pay(reply: WalletReply): Promise<HTMLButtonElement> {
  replyToPayment = reply
  renderInEnglish(<PayFromWallet invoice={INVOICE} />)
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Pay from my wallet' })
  fireEvent.click(button)
  return button
}
afterEach(cleanup)

test('that the wallet has paid is said, and not as a problem', async () => {
  const button = await pay({ kind: 'paid' })
  expect((await screen.findByRole('status')).textContent).toBe('Your wallet has paid.')
  expect(screen.queryByRole('alert')).toBeNull()
  expect(button.disabled).toBe(true)
})

test('a payment that the wallet refuses is a problem', async () => {
  const button = await pay({ kind: 'refused', code: 'QUOTA_EXCEEDED' })
  expect((await screen.findByRole('alert')).textContent).toMatch(/budget/)
  expect(screen.queryByRole('status')).toBeNull()
  expect(button.disabled).toBe(false)
})
