'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useRef, useState } from 'react'
import { formatDay } from '@/components/account/format-day'
import { RequestProblem } from '@/components/request/request-problem'
import { Button } from '@/components/ui/button'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import { CopyButton } from '@/components/ui/copy-button'
import { Field } from '@/components/ui/field'
import layout from '@/components/ui/layout.module.css'
import { Qr } from '@/components/ui/qr'
import { Skeleton } from '@/components/ui/skeleton'
import text from '@/components/ui/text.module.css'
import { TextInput } from '@/components/ui/text-input'
import { REFILL_NAME_LENGTH_MAX } from '@/lib/payments/domain/refill-link-form'
import styles from './refill.module.css'
import { RefillName } from './refill-name'
import { useRefillLink } from './use-refill-link'

export function RefillLinkPanel({ creditId }: { creditId: string }) {
  const t = useTranslations('refill')
  const locale = useLocale()
  const { link, address, loadErrorCode, reload, busy, errorCode, create, revoke } = useRefillLink(creditId)
  const [name, setName] = useState('')
  /** What ends the current link, while the person is asked to confirm it. */
  const [ending, setEnding] = useState<'replace' | 'revoke' | null>(null)
  if (link === undefined) {
    return loadErrorCode === null ? (
      <Skeleton length="medium" />
    ) : (
      <RequestProblem errorCode={loadErrorCode} onRetry={reload} />
    )
  }
  return (
    <div className={layout.looseStack}>
      {address !== null && <NewRefillLink address={address} />}
      {link && (
        <div className={layout.stack}>
          {address === null && (
            <p className={text.text}>{t('exists', { date: formatDay(link.created_at, locale) })}</p>
          )}
          <RefillName label={t('name')} name={link.name} />
        </div>
      )}
      {address === null && (
        <Field label={t('newName')} hint={t('newNameHint')}>
          {control => (
            <TextInput
              {...control}
              dir="auto"
              maxLength={REFILL_NAME_LENGTH_MAX}
              autoComplete="off"
              value={name}
              onChange={event => setName(event.currentTarget.value)}
            />
          )}
        </Field>
      )}
      <RequestProblem errorCode={errorCode} />
      <div className={layout.row}>
        {address === null && (
          <Button
            variant="quiet"
            loading={busy}
            onClick={() => (link ? setEnding('replace') : void create(name))}
          >
            {link ? t('replace') : t('create')}
          </Button>
        )}
        {link && (
          <Button variant="quiet" loading={busy} onClick={() => setEnding('revoke')}>
            {t('revoke')}
          </Button>
        )}
      </div>
      {ending && (
        <ConfirmDialog
          title={t(`${ending}Title`)}
          label={t(ending)}
          onConfirm={() => {
            setEnding(null)
            void (ending === 'replace' ? create(name) : revoke())
          }}
          onClose={() => setEnding(null)}
        >
          <p className={text.text}>{t('revokeText')}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

/** Shows the new link, for the only time. */
function NewRefillLink({ address }: { address: string }) {
  const t = useTranslations('refill')
  const field = useRef<HTMLInputElement>(null)
  // The button that created it is gone, and a screen reader has to announce the result.
  useEffect(() => field.current?.focus(), [])
  return (
    <>
      <Field label={t('address')} hint={t('addressHint')}>
        {control => (
          <TextInput
            {...control}
            ref={field}
            mono
            readOnly
            value={address}
            onFocus={event => event.currentTarget.select()}
          />
        )}
      </Field>
      <div className={styles.qr}>
        <Qr value={address} title={t('qr')} />
      </div>
      <div>
        <CopyButton text={address} label={t('copy')} variant="primary" />
      </div>
    </>
  )
}
