import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Button } from './button'
import { Dialog } from './dialog'
import layout from './layout.module.css'

interface ConfirmDialogProps {
  /** The question, with the name of what it is about. */
  title: string
  /** The button that does it. */
  label: string
  busy?: boolean
  onConfirm: () => void
  onClose: () => void
  /** What follows from it, and what was wrong with the last try. */
  children: ReactNode
}

/** Asks before what cannot be undone. */
export function ConfirmDialog({ title, label, busy, onConfirm, onClose, children }: ConfirmDialogProps) {
  const t = useTranslations('common')
  return (
    <Dialog open onClose={onClose} title={title}>
      <div className={layout.stack}>
        {children}
        <div className={layout.row}>
          <Button variant="danger" loading={busy} onClick={onConfirm}>
            {label}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {t('cancel')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
