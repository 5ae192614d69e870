'use client'

import { Check, Copy } from 'lucide'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Button } from './button'
import type { ButtonSize, ButtonVariant } from './button-class'
import { Icon } from './icon'
import { LiveRegion } from './live-region'

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

/** How long the button says that the copy worked. */
const COPIED_NOTICE_MS = 2000

type CopyState = 'idle' | 'copied' | 'failed'

/** Copies text; `state` returns to idle by itself. Fails without a secure context or permission. */
function useCopy(): { state: CopyState; copy: (text: string) => Promise<void> } {
  const [state, setState] = useState<CopyState>('idle')

  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), COPIED_NOTICE_MS)
    return () => clearTimeout(timer)
  }, [state])

  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text)
      setState('copied')
    } catch {
      setState('failed')
    }
  }
  return { state, copy }
}
