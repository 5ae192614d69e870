'use client'

import type { ReactNode } from 'react'
import { useStore } from '@/components/ui/use-store'
import { createExternalStore } from '@/lib/local/storage/external-store'

/** Named parts of pages, each a portal into an element of its page. */
export const persistentPartsStore = createExternalStore<ReadonlyMap<string, ReactNode>>(new Map())

/** Renders the stored parts in the document, so that they persist when their page is left. */
export const PersistentParts = (): ReactNode => [...useStore(persistentPartsStore).values()]
