'use client'

import { useStore } from '@/components/ui/use-store'
import { creditIdStore } from '@/lib/local/credit-id'

const untilRunning = { ...creditIdStore, getServerSnapshot: () => undefined }

/** The credit_id of this browser; null if there is none, undefined until the page has hydrated. */
export function useCreditId(): string | null | undefined {
  return useStore<string | null | undefined>(untilRunning)
}
