/** @jest-environment jsdom */
import { afterEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import type { AuthBrowserClient } from '@/lib/auth/client/browser-client'
import { fakeServer, press } from '@/test/support/render'
import { AccountAuthSections } from './account-auth-sections'
import { SignInPanel } from './sign-in-panel'
import { renderFor } from './testing'

afterEach(cleanup)

async function renderAccount(initialError: string | null, client = {}): Promise<void> {
  // Only the part of the library that the test uses.
  const open = async () => Object.assign(Object.create(null) as AuthBrowserClient, client)
  await act(async () => {
    renderFor(
      null,
      <AccountAuthSections appName="Tuppence" canLinkCredit={false} initialError={initialError} />,
      open,
    )
  })
}

describe('the account page when signed out', () => {
  test('offers only the sign-in methods that the service has', async () => {
    await renderAccount(null)
    expect(screen.getByRole('group', { name: 'Sign in' })).toBeDefined()
    expect(screen.getByRole('textbox', { name: 'Email address' })).toBeDefined()
    expect(screen.queryByRole('button', { name: /passkey/ })).toBeNull()
    expect(screen.queryByRole('alert', { hidden: false })?.textContent ?? '').toBe('')
  })

  test('offers passkeys only in a browser that knows them', async () => {
    const ways = { email: true, passkey: true, providers: [] }
    const look = async () => {
      await act(async () => void renderFor(null, <SignInPanel initialError={null} />, undefined, {}, ways))
      const button = screen.queryByRole('button', { name: 'Sign in with a passkey' })
      cleanup()
      return button
    }
    expect(await look()).toBeNull()
    Object.assign(window, { PublicKeyCredential: class {} })
    expect(await look()).not.toBeNull()
    Reflect.deleteProperty(window, 'PublicKeyCredential')
  })

  test.each([
    ['linkElsewhere', 'Open the link in the browser where you asked for it, or enter the code there.'],
    ['<b>anything</b>', 'That did not work. Try again.'],
    ['constructor', 'That did not work. Try again.'],
  ])('says why the last sign-in failed: %s', async (key, sentence) => {
    await renderAccount(key)
    expect(screen.getAllByRole('alert')[0]?.textContent).toBe(sentence)
  })

  test('says no longer why the last sign-in failed once a code is on its way', async () => {
    fakeServer(() => ({ status: 204 }))
    await renderAccount('cancelled', {
      onAuthStateChange: () => undefined,
      signInWithOtp: async () => ({ data: {}, error: null }),
    })
    expect(screen.getAllByRole('alert')[0]?.textContent).toBe('Cancelled. Nothing was changed.')
    fireEvent.change(screen.getByRole('textbox', { name: 'Email address' }), {
      target: { value: 'ada@example.com' },
    })
    await press('Email me a code')
    expect(screen.getByRole('status').textContent).toMatch(/^We sent a code/)
    expect(screen.queryAllByRole('alert')).toEqual([])
  })

  test('asks for the code that was mailed after the page was loaded again, until the page is left', async () => {
    fakeServer(() => ({ status: 204 }))
    const client = {
      onAuthStateChange: () => undefined,
      signInWithOtp: async () => ({ data: {}, error: null }),
    }
    await renderAccount(null, client)
    fireEvent.change(screen.getByRole('textbox', { name: 'Email address' }), {
      target: { value: 'ada@example.com' },
    })
    await press('Email me a code')
    const kept = { ...sessionStorage }
    cleanup()
    expect({ ...sessionStorage }).toEqual({})
    // Loading again ends a page without telling its components.
    Object.assign(sessionStorage, kept)
    await renderAccount(null, client)
    expect(screen.getByText(/^We sent a code to ada@example\.com\./)).toBeDefined()
    await press('Use another address')
    expect({ ...sessionStorage }).toEqual({})
  })

  test('announces each new code in the same live region as the first one', async () => {
    fakeServer(() => ({ status: 204 }))
    await renderAccount(null, {
      onAuthStateChange: () => undefined,
      signInWithOtp: async () => ({ data: {}, error: null }),
    })
    fireEvent.change(screen.getByRole('textbox', { name: 'Email address' }), {
      target: { value: 'ada@example.com' },
    })
    await press('Email me a code')
    const status = screen.getByRole('status')
    expect(status.textContent).toMatch(/^We sent a code to ada@example\.com\./)
    await press('Send a new code')
    expect(status.textContent).toMatch(/ A new code is on its way\. Only the newest one is valid\.$/)
    const again = () => status.firstElementChild?.lastElementChild
    const words = again()
    await press('Send a new code')
    expect(again()).not.toBe(words)
  })
})
