'use client'

import { useStore } from '@/components/ui/use-store'
import { tokenFromFragment } from '@/lib/payments/client/refill-address'

/** For another language and the way back from a checkout, whose addresses have no fragment. In this tab alone. */
const TAB_TOKEN_KEY = 'refillToken'

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}

const tokenStore = { subscribe, getSnapshot: readToken, getServerSnapshot: () => undefined }

/** The token of the link that was opened; null for a broken one, undefined until the page is running. */
export function useRefillToken(): string | null | undefined {
  return useStore<string | null | undefined>(tokenStore)
}

function readToken(): string | null {
  return tokenFromFragment(window.location.hash) ?? tokenFromFragment(readTabToken())
}

export function keepTokenForReturn(token: string): void {
  try {
    window.sessionStorage.setItem(TAB_TOKEN_KEY, token)
  } catch {
    // Without storage the way back shows the link as broken; the payment arrives all the same.
  }
}

function readTabToken(): string {
  try {
    return window.sessionStorage.getItem(TAB_TOKEN_KEY) ?? ''
  } catch {
    return ''
  }
}
