'use client'

import { type ComponentProps, lazy } from 'react'

const AuthProvider = lazy(async () => ({
  default: (await import('@/components/auth/auth-provider')).AuthProvider,
}))

/**
 * Loaded only if the operator has configured sign-in. It is plain `lazy`, since the code of `next/dynamic` would be
 * loaded by every visitor of every page. There is no Suspense around it, since the server would then send the whole
 * page hidden for a script to reveal.
 *
 * It is a function because React refuses a lazy component that a page wraps in `lazy` again.
 */
export function LazyAuthProvider(props: ComponentProps<typeof AuthProvider>) {
  return <AuthProvider {...props} />
}
