'use client'

import { useTranslations } from 'next-intl'
import { CopyButton } from '@/components/ui/copy-button'
import { Field } from '@/components/ui/field'
import { Qr } from '@/components/ui/qr'
import { TextInput } from '@/components/ui/text-input'
import styles from './refill.module.css'

/** The one time that the link is shown. */
export function NewRefillLink({ address }: { address: string }) {
  const t = useTranslations('refill')
  return (
    <>
      <Field label={t('address')} hint={t('addressHint')}>
        {control => (
          <TextInput
            {...control}
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
