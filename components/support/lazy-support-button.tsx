'use client'

import { type ComponentProps, lazy, Suspense } from 'react'
import { runningStore, useStore } from '@/components/ui/use-store'
import styles from './support.module.css'

const SupportButton = lazy(async () => ({ default: (await import('./support-button')).SupportButton }))

/**
 * Loaded only if the operator has configured a support widget. Its place is reserved, and the button appears once it
 * works: one rendered by the server would ignore the first clicks.
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
