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
        <Button variant={variant} size={size} data-shortcut={shortcut} onClick={onClick}>
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

/** Copies text; `state` returns to idle by itself. Fails if the browser refuses. */
function useCopy(): { state: CopyState; copy: (text: string, html: string | null) => Promise<void> } {
  const [state, setState] = useState<CopyState>('idle')

  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), COPIED_NOTICE_MS)
    return () => clearTimeout(timer)
  }, [state])

  const copy = async (text: string, html: string | null) => {
    try {
      await write(text, html)
      setState('copied')
    } catch {
      setState('failed')
    }
  }
  return { state, copy }
}

function write(text: string, html: string | null): Promise<void> | void {
  const types = { 'text/plain': text, ...(html !== null && { 'text/html': html }) }
  // Browsers offer the former only over HTTPS, unlike in a local network; Firefox lacks the latter before 127.
  if (!navigator.clipboard || (html !== null && typeof ClipboardItem === 'undefined'))
    return copyByCommand(types)
  if (html === null) return navigator.clipboard.writeText(text)
  const blobs = Object.entries(types).map(([type, content]) => [type, new Blob([content], { type })])
  return navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))])
}

/** Copies as if the keys for it had been pressed. The event tells what, so that nothing has to be selected. */
function copyByCommand(types: Readonly<Record<string, string>>): void {
  let isCopied = false
  const fill = (event: ClipboardEvent) => {
    event.preventDefault()
    for (const [type, content] of Object.entries(types)) event.clipboardData?.setData(type, content)
    isCopied = true
  }
  document.addEventListener('copy', fill)
  document.execCommand('copy')
  document.removeEventListener('copy', fill)
  if (!isCopied) throw new Error('The browser does not copy.')
}
