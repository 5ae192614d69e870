'use client'

import { useTranslations } from 'next-intl'
import { RequestProblem } from '@/components/account/request-problem'
import { useRequest } from '@/components/account/use-request'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import type { KeyView } from '@/lib/ledger/client/api-key'
import styles from './keys-section.module.css'

interface RevokeKeyDialogProps {
  apiKey: KeyView
  onRevoke: () => Promise<void>
  onClose: () => void
}

export function RevokeKeyDialog({ apiKey, onRevoke, onClose }: RevokeKeyDialogProps) {
  const t = useTranslations('keys')
  const common = useTranslations('common')
  const { busy, errorCode, run } = useRequest()
  return (
    <Dialog open onClose={onClose} title={t('revokeTitle', { label: apiKey.label })}>
      <p className={styles.text}>{t('revokeText')}</p>
      <RequestProblem errorCode={errorCode} />
      <div className={styles.actions}>
        <Button variant="danger" loading={busy} onClick={() => void run(onRevoke)}>
          {t('revokeConfirm')}
        </Button>
        <Button variant="quiet" onClick={onClose}>
          {common('cancel')}
        </Button>
      </div>
    </Dialog>
  )
}
