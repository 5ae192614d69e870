import type { ReactNode } from 'react'
import { LazyAuthProvider } from '@/components/shell/lazy-auth-provider'
import { publicAuthSettings } from '@/lib/auth/server/public-auth-settings'
import { sessionFromRequest } from '@/lib/auth/server/session-from-request'

interface SessionBoundaryProps {
  children: ReactNode
}

/** Gives the pages who is signed in; nothing at all where the operator has set up no sign-in. */
export async function SessionBoundary({ children }: SessionBoundaryProps) {
  const settings = publicAuthSettings()
  const initial = await sessionFromRequest()
  if (!settings || !initial) return children
  return (
    <LazyAuthProvider settings={settings} initial={initial}>
      {children}
    </LazyAuthProvider>
  )
}
