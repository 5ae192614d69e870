'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Dialog } from '@/components/ui/dialog'
import type { KeySettings } from '@/lib/api/contracts/keys'
import { KeyForm } from './key-form'
import styles from './keys-section.module.css'
import { NewKeySecret } from './new-key-secret'

interface CreateKeyDialogProps {
  /** Returns the secret. */
  onCreate: (change: KeySettings) => Promise<string>
  onClose: () => void
}

/** Asks what the key may do, then shows the key. */
export function CreateKeyDialog({ onCreate, onClose }: CreateKeyDialogProps) {
  const t = useTranslations('keys')
  const [secret, setSecret] = useState<string | null>(null)
  const [warned, setWarned] = useState(false)

  // A stray click or Escape must not lose a secret that cannot be shown again.
  const close = () => (secret === null || warned ? onClose() : setWarned(true))

  return (
    <Dialog open onClose={close} title={secret === null ? t('createTitle') : t('secretTitle')} look="wide">
      {secret === null ? (
        <KeyForm
          before={null}
          submitLabel={t('createSubmit')}
          onSubmit={async change => setSecret(await onCreate(change))}
        />
      ) : (
        <>
          <p role="alert" className={styles.warning}>
            {warned && t('secretWarning')}
          </p>
          <NewKeySecret secret={secret} onDone={onClose} />
        </>
      )}
    </Dialog>
  )
}
