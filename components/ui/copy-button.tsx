'use client'

import { Check, Copy } from 'lucide'
import { useTranslations } from 'next-intl'
import { type MouseEvent, useEffect, useState } from 'react'
import { Button } from './button'
import type { ButtonSize, ButtonVariant } from './button-class'
import { Icon } from './icon'
import { IconButton } from './icon-button'
import { LiveRegion } from './live-region'

interface CopyButtonProps {
  /** A function if the text changes often; called when it is copied. */
  text: string | (() => string)
  /** What is copied, such as "Copy invoice". */
  label: string
  /**
   * Returns the same as HTML for programs that accept it, read from the elements around the button when it is pressed.
   */
  readHtml?: (button: Element) => string | null
  variant?: ButtonVariant
  size?: ButtonSize
  /** Uses the label only as accessible name and tooltip. */
  iconOnly?: boolean
  /** The shortcut that presses it. */
  shortcut?: string
}

export function CopyButton(props: CopyButtonProps) {
  const { text, label, readHtml, variant = 'quiet', size = 'medium', iconOnly = false, shortcut } = props
  const t = useTranslations('common')
  const { state, copy } = useCopy()
  const notice = state === 'copied' ? t('copied') : state === 'failed' ? t('copyFailed') : ''
  const onClick = (event: MouseEvent<HTMLButtonElement>) =>
    void copy(typeof text === 'string' ? text : text(), readHtml?.(event.currentTarget) ?? null)
  const icon = <Icon icon={state === 'copied' ? Check : Copy} size={16} />
  return (
    <>
      {iconOnly ? (
        <IconButton
          size="small"
          label={notice || label}
          icon={icon}
          data-shortcut={shortcut}
          onClick={onClick}
        />
      ) : (
        <Button variant={variant} size={size} onClick={onClick}>
          {icon}
          {notice || label}
        </Button>
      )}
      <LiveRegion>{notice}</LiveRegion>
    </>
  )
}

/** How long the button shows that copying succeeded. */
const COPIED_NOTICE_MS = 2000

type CopyState = 'idle' | 'copied' | 'failed'

/** Copies text; `state` returns to idle by itself. Fails without a secure context or permission. */
function useCopy(): { state: CopyState; copy: (text: string, html: string | null) => Promise<void> } {
  const [state, setState] = useState<CopyState>('idle')

  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), COPIED_NOTICE_MS)
    return () => clearTimeout(timer)
  }, [state])

  const copy = async (text: string, html: string | null) => {
    try {
      await (html === null ? navigator.clipboard.writeText(text) : writeBoth(text, html))
      setState('copied')
    } catch {
      setState('failed')
    }
  }
  return { state, copy }
}

function writeBoth(text: string, html: string): Promise<void> {
  const types = { 'text/plain': text, 'text/html': html }
  const blobs = Object.entries(types).map(([type, content]) => [type, new Blob([content], { type })])
  return navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))])
}
