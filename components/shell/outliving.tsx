'use client'

import type { ReactNode } from 'react'
import { useStore } from '@/components/ui/use-store'
import { createExternalStore } from '@/lib/local/storage/external-store'

/** Parts of pages by their names, each on its way into an element that its page holds. */
export const outlivingStore = createExternalStore<ReadonlyMap<string, ReactNode>>(new Map())

/** What of pages is drawn by the document, and so is there still when they have been left. */
export const Outliving = (): ReactNode => [...useStore(outlivingStore).values()]
