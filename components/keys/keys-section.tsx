'use client'

import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { CreditSection } from '@/components/account/credit-section'
import { RequestProblem } from '@/components/request/request-problem'
import { useRequest } from '@/components/request/use-request'
import { Button } from '@/components/ui/button'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import { Dialog } from '@/components/ui/dialog'
import { focusAfterRender } from '@/components/ui/focus'
import { Skeleton } from '@/components/ui/skeleton'
import { deleteKey, patchKey, postKey } from '@/lib/api/client/keys'
import { CreateKeyDialog } from './create-key-dialog'
import { KeyForm } from './key-form'
import { KeyList } from './key-list'
import styles from './keys-section.module.css'
import { SetUp } from './set-up'
import { type NamedKey, useKeys } from './use-keys'

type Open = { dialog: 'create' } | { dialog: 'edit' | 'revoke'; key: NamedKey }

/** The API keys of this browser's credit: create, edit, revoke. */
export function KeysSection() {
  const t = useTranslations('keys')
  const common = useTranslations('common')
  const { keys, errorCode, reload } = useKeys()
  const [open, setOpen] = useState<Open | null>(null)
  const [isSettingUp, setIsSettingUp] = useState(false)
  const close = () => setOpen(null)
  return (
    <CreditSection id="keys" title={t('title')} lead={t('lead')}>
      {creditId => (
        <>
          <RequestProblem errorCode={errorCode} onRetry={() => void reload()} />
          {keys ? (
            <KeyList
              keys={keys}
              onEdit={key => setOpen({ dialog: 'edit', key })}
              onRevoke={key => setOpen({ dialog: 'revoke', key })}
            />
          ) : (
            errorCode === null && (
              <div className={styles.awaited}>
                <Skeleton length="long" />
              </div>
            )
          )}
          <div>
            <Button variant="quiet" onClick={() => setOpen({ dialog: 'create' })}>
              {t('create')}
            </Button>
          </div>
          <details className={styles.more} onToggle={event => setIsSettingUp(event.currentTarget.open)}>
            <summary>{t('setUp.title')}</summary>
            <div>{isSettingUp && <SetUp />}</div>
          </details>
          {creditId && open?.dialog === 'create' && (
            <CreateKeyDialog
              onClose={close}
              onCreate={async change => {
                const { key: secret } = await postKey(creditId, change)
                void reload()
                return secret
              }}
            />
          )}
          {creditId && open?.dialog === 'edit' && (
            <Dialog open onClose={close} title={t('editNamed', { label: open.key.name })}>
              <KeyForm
                before={open.key}
                submitLabel={common('save')}
                onSubmit={async change => {
                  await patchKey(creditId, open.key.id, change)
                  await reload()
                  close()
                }}
              />
            </Dialog>
          )}
          {creditId && open?.dialog === 'revoke' && (
            <RevokeKeyDialog
              apiKey={open.key}
              onClose={close}
              onRevoke={async () => {
                await deleteKey(creditId, open.key.id)
                await reload()
                flushSync(close)
                // The button that opened the dialog is gone.
                focusAfterRender('#keys h2')
              }}
            />
          )}
        </>
      )}
    </CreditSection>
  )
}

interface RevokeKeyDialogProps {
  apiKey: NamedKey
  onRevoke: () => Promise<void>
  onClose: () => void
}

function RevokeKeyDialog({ apiKey, onRevoke, onClose }: RevokeKeyDialogProps) {
  const t = useTranslations('keys')
  const { busy, errorCode, run } = useRequest()
  return (
    <ConfirmDialog
      title={t('revokeTitle', { label: apiKey.name })}
      label={t('revokeConfirm')}
      busy={busy}
      onConfirm={() => void run(onRevoke)}
      onClose={onClose}
    >
      <p className={styles.text}>{t('revokeText')}</p>
      <RequestProblem errorCode={errorCode} />
    </ConfirmDialog>
  )
}
