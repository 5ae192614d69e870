/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import type { Message } from '@/lib/local/domain/conversation'
import { renderInEnglish } from '@/test/support/render'
import { SummaryLine } from './summary-line'

const SUMMARY: Message = {
  id: 's',
  role: 'assistant',
  content: 'They spoke of heat pumps.',
  parent: 'm1',
  summarises: true,
  status: 'completed',
}

afterEach(cleanup)

test.each(['Cancel', 'Save'])(
  'the focus returns to the button of an edit that ends with “%s”',
  async name => {
    renderInEnglish(<SummaryLine summary={SUMMARY} conversationId="c" />)
    fireEvent.click(screen.getByRole('button', { name: 'Edit' }))
    const end = screen.getByRole('button', { name })
    end.focus()
    fireEvent.click(end)
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit' })))
  },
)
