import type { ReactNode } from 'react'
import { Button } from '@/components/ui/button'
import text from '@/components/ui/text.module.css'
import styles from './auth.module.css'

interface AccountRowProps {
  name: string
  detail: ReactNode
  /** Null if it cannot be removed. */
  removal: { label: string; fullLabel: string; pending: boolean; onRemove: () => void } | null
  /** What else can be done with it. */
  children?: ReactNode
}

/** One identity, passkey or second factor in a list, with the button that removes it. */
export function AccountRow({ name, detail, removal, children }: AccountRowProps) {
  return (
    <li className={styles.item}>
      <span className={styles.itemName}>
        {name}
        <span className={text.hint}>{detail}</span>
      </span>
      {children}
      {removal && (
        <Button
          variant="quiet"
          size="small"
          loading={removal.pending}
          aria-label={removal.fullLabel}
          onClick={removal.onRemove}
        >
          {removal.label}
        </Button>
      )}
    </li>
  )
}
