'use client'

import { type ComponentProps, lazy, Suspense } from 'react'
import { runningStore, useStore } from '@/components/ui/use-store'
import styles from './support.module.css'

const SupportButton = lazy(async () => ({ default: (await import('./support-button')).SupportButton }))

/**
 * Its code reaches the browser only where an operator has set up a support widget. The button stands there
 * once it works, in a place kept for it: one that came with the page would ignore the first clicks.
 */
export function LazySupportButton(props: ComponentProps<typeof SupportButton>) {
  const isRunning = useStore(runningStore)
  const place = <span className={styles.place} />
  return isRunning ? (
    <Suspense fallback={place}>
      <SupportButton {...props} />
    </Suspense>
  ) : (
    place
  )
}
