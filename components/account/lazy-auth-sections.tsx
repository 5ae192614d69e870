'use client'

import dynamic from 'next/dynamic'

/** Its code reaches the browser only where an operator has set up sign-in. */
export const LazyAuthSections = dynamic(
  async () => (await import('@/components/auth/account-auth-sections')).AccountAuthSections,
)
