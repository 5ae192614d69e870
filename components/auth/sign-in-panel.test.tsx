/** @jest-environment jsdom */
import { afterEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, screen } from '@testing-library/react'
import { AccountAuthSections } from './account-auth-sections'
import { renderFor } from './testing'

afterEach(cleanup)

async function renderAccount(initialError: string | null): Promise<void> {
  await act(async () => {
    renderFor(
      null,
      <AccountAuthSections appName="Tuppence" canLinkCredit={false} initialError={initialError} />,
    )
  })
}

describe('the account page of somebody who is not signed in', () => {
  test('offers the ways in that the service has, and no others', async () => {
    await renderAccount(null)
    expect(screen.getByRole('group', { name: 'Sign in' })).toBeDefined()
    expect(screen.getByRole('textbox', { name: 'Email address' })).toBeDefined()
    expect(screen.queryByRole('button', { name: /passkey/ })).toBeNull()
    expect(screen.queryByRole('alert', { hidden: false })?.textContent ?? '').toBe('')
  })

  test.each([
    ['linkElsewhere', 'Open the link in the browser where you asked for it, or enter the code there.'],
    ['<b>anything</b>', 'That did not work. Try again.'],
    ['constructor', 'That did not work. Try again.'],
  ])('says why the last sign-in failed: %s', async (key, sentence) => {
    await renderAccount(key)
    expect(screen.getAllByRole('alert')[0]?.textContent).toBe(sentence)
  })
})
