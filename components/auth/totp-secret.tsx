'use client'

import { useTranslations } from 'next-intl'
import { CopyButton } from '@/components/ui/copy-button'
import { Qr } from '@/components/ui/qr'
import text from '@/components/ui/text.module.css'
import type { TotpEnrolment } from '@/lib/auth/client/factors'
import styles from './auth.module.css'

/** Drawn here from the `otpauth://` address: the picture that the service sends would need `data:` images. */
export function TotpSecret({ enrolment }: { enrolment: TotpEnrolment }) {
  const t = useTranslations('auth.factors')
  return (
    <div className={styles.stack}>
      <p className={text.muted}>{t('scan')}</p>
      <div className={styles.qr}>
        <Qr value={enrolment.uri} title={t('qrTitle')} />
      </div>
      <p className={text.hint}>{t('secret')}</p>
      <code className={styles.secret}>{enrolment.secret}</code>
      <div>
        <CopyButton text={enrolment.secret} label={t('copySecret')} size="small" />
      </div>
    </div>
  )
}
