'use client'

import { Check, Copy } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { Button } from './button'
import type { ButtonSize, ButtonVariant } from './button-class'
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
        {state === 'copied' ? <Check size={16} aria-hidden="true" /> : <Copy size={16} aria-hidden="true" />}
        {notice || label}
      </Button>
      <LiveRegion>{notice}</LiveRegion>
    </>
  )
}
