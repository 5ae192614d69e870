/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { PathnameContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime'
import type { ReactNode } from 'react'
import { creditIdStore } from '@/lib/local/credit-id'
import { en } from '@/test/support/messages'
import { renderInEnglish } from '@/test/support/render'

/** As in a page that is still open when a new version has replaced the files of its own. */
const lost = (): never => {
  throw new Error('ChunkLoadError')
}
jest.unstable_mockModule('@/components/credit/live-balance', lost)
jest.unstable_mockModule('@/components/chat/markdown/diagram', lost)
const { BalanceStatus } = await import('@/components/credit/balance-status')
const { CodeBlock } = await import('@/components/chat/markdown/code-block')
const { HasButtons } = await import('@/components/chat/use-near')

const CREDIT_ID = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'

const show = (part: ReactNode) =>
  act(
    async () =>
      void renderInEnglish(
        <PathnameContext.Provider value="/top-up">
          <p>The page</p>
          {part}
        </PathnameContext.Provider>,
      ),
  )

beforeEach(() => localStorage.clear())
afterEach(cleanup)

test('a first credit that is created in an old page leaves the page as it is', async () => {
  await show(<BalanceStatus zero="$0.00" />)
  expect(screen.getByRole('status', { name: 'Balance' }).textContent).toBe('$0.00')
  await act(async () => void creditIdStore.write(CREDIT_ID))
  expect(screen.getByRole('status', { name: 'Balance' }).getAttribute('aria-busy')).toBe('true')
  expect(screen.getByText('The page')).toBeDefined()
})

test('a diagram that an old page cannot draw leaves its answer, and says why', async () => {
  await show(
    <HasButtons value={true}>
      <CodeBlock code="graph TD; A-->B" language="mermaid" finished />
    </HasButtons>,
  )
  await act(
    async () => void fireEvent.click(screen.getByRole('button', { name: en.chat.reading.drawDiagram })),
  )
  expect(screen.getByRole('alert').textContent).toBe(en.errors.part_missing)
  expect(screen.getByText(/graph TD/)).toBeDefined()
})
