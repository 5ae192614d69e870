'use client'

import { useTranslations } from 'next-intl'
import { type FormEvent, use, useEffect, useState } from 'react'
import { AuthContext } from '@/components/auth/auth-context'
import { useRequest } from '@/components/request/use-request'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import layout from '@/components/ui/layout.module.css'
import { Switch } from '@/components/ui/switch'
import text from '@/components/ui/text.module.css'
import { TextInput } from '@/components/ui/text-input'
import { useStore } from '@/components/ui/use-store'
import type { SessionStore } from '@/lib/auth/client/session-store'
import type { SessionState } from '@/lib/auth/domain/session-state'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { creditIdFirstSegment, creditIdStore } from '@/lib/local/credit-id'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { keepInTab, openArea } from '@/lib/local/storage/storage-area'
import { EVERYTHING_DELETED_KEY } from '@/lib/local/storage/storage-keys'
import { deleteEverything } from '@/lib/local/transfer/delete-everything'
import { virtualApiKeyStore } from '@/lib/local/virtual-api-key'
import styles from './your-data.module.css'

/** Asks for confirmation in a dialog; after the reload, the page says that it is done. */
export function DeleteEverything() {
  const t = useTranslations('yourData')
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  useEffect(() => {
    const session = openArea('sessionStorage')
    if (session.getItem(EVERYTHING_DELETED_KEY) === null) return
    session.removeItem(EVERYTHING_DELETED_KEY)
    noticeStore.show('success', t('deleted'))
  }, [t])
  return (
    <div className={styles.block}>
      <h3 className={styles.subtitle}>{t('deleteTitle')}</h3>
      <p className={text.note}>{t('deleteLead')}</p>
      <Button variant="danger" onClick={() => setOpen(true)}>
        {t('deleteOpen')}
      </Button>
      <Dialog open={isOpen} onClose={close} title={t('deleteTitle')}>
        <DeleteForm onCancel={close} />
      </Dialog>
    </div>
  )
}

/** Where there is no sign-in, nobody is signed in. */
const NOBODY: SessionState = { user: null, loading: false, error: null }
const noSession = { subscribe: () => () => {}, getSnapshot: () => NOBODY, getServerSnapshot: () => NOBODY }

interface DeleteFormProps {
  onCancel: () => void
}

/** Says what becomes of the credit, then asks the person to type a word, since it cannot be undone. */
function DeleteForm({ onCancel }: DeleteFormProps) {
  const t = useTranslations('yourData')
  const common = useTranslations('common')
  const [keepCredit, setKeepCredit] = useState(true)
  const [typed, setTyped] = useState('')
  const creditId = useStore(creditIdStore)
  const hasLegacyKey = useStore(virtualApiKeyStore) !== null
  const auth = use(AuthContext)
  const { user, loading, error } = useStore(auth?.store ?? noSession)
  // There may be a session that the service could not be asked about.
  const session = user || loading || error !== null ? auth?.store : undefined
  const deleting = useRequest()
  const word = t('deleteWord')
  const isConfirmed = typed.trim().toLowerCase() === word.toLowerCase()

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isConfirmed) void deleting.run(() => deleteAndReload(keepCredit, session))
  }

  return (
    <form onSubmit={submit} className={styles.block}>
      {creditId && (
        <p className={styles.fate}>
          {t(keepCredit ? 'creditStays' : 'creditGoes', { segment: creditIdFirstSegment(creditId) })}
        </p>
      )}
      {hasLegacyKey && <p className={styles.fate}>{t(keepCredit ? 'legacyKeyStays' : 'legacyKeyGoes')}</p>}
      {(creditId || hasLegacyKey) && (
        <Switch label={t('keepCredit')} checked={keepCredit} onChange={setKeepCredit} />
      )}
      <p className={text.note}>{t('deleteList')}</p>
      {user && <p className={text.note}>{t('signsOut')}</p>}
      <Field label={t('typeToConfirm', { word })}>
        {control => (
          <TextInput
            {...control}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={event => setTyped(event.currentTarget.value)}
          />
        )}
      </Field>
      <div className={layout.row}>
        <Button variant="danger" type="submit" disabled={!isConfirmed} loading={deleting.busy}>
          {t('deleteNow')}
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          {common('cancel')}
        </Button>
      </div>
      <p role="status" className={text.result}>
        {deleting.errorCode !== null && t('deleteFailed')}
      </p>
    </form>
  )
}

/**
 * The reload clears deleted data from memory.
 *
 * @param session that of a person who is, or may be, signed in
 */
async function deleteAndReload(keepCredit: boolean, session: SessionStore | undefined): Promise<void> {
  // Here it ends even if the service does not answer; what fails is to end it there as well. Where the library that
  // ends it cannot be loaded, the rest is deleted all the same.
  const [ended] = await Promise.allSettled([session?.signOut('local')])
  // No pending write may happen when the page is left.
  conversationStore.flushScheduledSaves()
  await deleteEverything({
    storage: guardedStorage,
    clearTab: () => window.sessionStorage.clear(),
    keepCredit,
  })
  if (ended.status === 'rejected') throw ended.reason
  // Without storage the empty lists have to show it.
  keepInTab(EVERYTHING_DELETED_KEY, '1')
  window.location.reload()
}
