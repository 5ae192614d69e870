'use client'

import { useTranslations } from 'next-intl'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Field } from '@/components/ui/field'
import layout from '@/components/ui/layout.module.css'
import { TextInput } from '@/components/ui/text-input'
import styles from './keys-section.module.css'
import { SetUp } from './set-up'

interface NewKeySecretProps {
  secret: string
  onDone: () => void
}

/** Shows the new key's secret, for the only time. */
export function NewKeySecret({ secret, onDone }: NewKeySecretProps) {
  const t = useTranslations('keys')
  return (
    <div className={layout.stack}>
      <p className={styles.text}>{t('secretText')}</p>
      <Field label={t('secret')}>
        {control => (
          <TextInput
            {...control}
            mono
            readOnly
            autoComplete="off"
            value={secret}
            onFocus={event => event.currentTarget.select()}
          />
        )}
      </Field>
      <div className={layout.row}>
        <CopyButton text={secret} label={t('copySecret')} variant="primary" />
        <Button variant="quiet" onClick={onDone}>
          {t('secretDone')}
        </Button>
      </div>
      <SetUp secret={secret} />
    </div>
  )
}
