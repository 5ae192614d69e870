'use client'

import dynamic from 'next/dynamic'

/** Loaded only if the operator has configured sign-in. */
export const LazyAuthSections = dynamic(
  async () => (await import('@/components/auth/account-auth-sections')).AccountAuthSections,
)
