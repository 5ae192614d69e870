'use client'

import type { ReactNode } from 'react'
import untilKnown from '@/components/credit/until-known.module.css'
import { useCreditId } from '@/components/credit/use-credit-id'
import { AccountSection } from './account-section'

interface CreditSectionProps {
  id: string
  title: string
  lead: string
  /** What the section shows for this credit; undefined until the page has hydrated. */
  children: (creditId: string | undefined) => ReactNode
}

/** A section of the account page that is absent without a credit. */
export function CreditSection({ children, ...section }: CreditSectionProps) {
  const creditId = useCreditId()
  if (creditId === null) return null
  return (
    <AccountSection {...section} className={creditId === undefined ? untilKnown.withCredit : undefined}>
      {children(creditId)}
    </AccountSection>
  )
}
