'use client'

import { type ComponentProps, lazy, Suspense } from 'react'

const SupportButton = lazy(async () => ({ default: (await import('./support-button')).SupportButton }))

/** Its code reaches the browser only where an operator has set up a support widget. */
export function LazySupportButton(props: ComponentProps<typeof SupportButton>) {
  return (
    <Suspense>
      <SupportButton {...props} />
    </Suspense>
  )
}
