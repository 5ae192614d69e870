import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Dialog } from './dialog'
import { PATIENCE_MS } from './lazy-part'
import { Status } from './status'
import text from './text.module.css'

interface LoadingDialogProps {
  title: string
  onClose: () => void
  hasFailed?: boolean
}

/** For a `lazyPart` that is a dialog: another with its title, while it loads for more than a moment, or if it fails. */
export function whileLoading(title: string, onClose: () => void) {
  const shown = { title, onClose }
  return { fallback: <LoadingDialog {...shown} />, errorFallback: <LoadingDialog {...shown} hasFailed /> }
}

function LoadingDialog({ title, onClose, hasFailed = false }: LoadingDialogProps) {
  const common = useTranslations('common')
  const errors = useTranslations('errors')
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Dialog open={isLate || hasFailed} onClose={onClose} title={title}>
      {hasFailed ? (
        <p role="alert" className={text.problem}>
          {errors('part_missing')}
        </p>
      ) : (
        <Status className={text.muted}>{common('loading')}</Status>
      )}
    </Dialog>
  )
}
