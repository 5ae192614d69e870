import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Button } from './button'
import { Dialog } from './dialog'
import layout from './layout.module.css'

interface ConfirmDialogProps {
  /** The question, including the name of the object. */
  title: string
  /** The label of the button that confirms. */
  label: string
  busy?: boolean
  onConfirm: () => void
  onClose: () => void
  /** The consequences, and any error of the last attempt. */
  children: ReactNode
}

/** Asks for confirmation before an action that cannot be undone. */
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
