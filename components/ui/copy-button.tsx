'use client'

import { Check, Copy } from 'lucide'
import { useTranslations } from 'next-intl'
import { Button } from './button'
import type { ButtonSize, ButtonVariant } from './button-class'
import { Icon } from './icon'
import { LiveRegion } from './live-region'
import { useCopy } from './use-copy'

interface CopyButtonProps {
  text: string
  /** What is copied, such as "Copy invoice". */
  label: string
  variant?: ButtonVariant
  size?: ButtonSize
}

export function CopyButton({ text, label, variant = 'quiet', size = 'medium' }: CopyButtonProps) {
  const t = useTranslations('common')
  const { state, copy } = useCopy()
  const notice = state === 'copied' ? t('copied') : state === 'failed' ? t('copyFailed') : ''
  return (
    <>
      <Button variant={variant} size={size} onClick={() => void copy(text)}>
        {state === 'copied' ? <Icon icon={Check} size={16} /> : <Icon icon={Copy} size={16} />}
        {notice || label}
      </Button>
      <LiveRegion>{notice}</LiveRegion>
    </>
  )
}
