'use client'

import { CircleQuestionMark } from 'lucide'
import { useEffect, useId, useState } from 'react'
import { Dialog } from '@/components/ui/dialog'
import { ForeignFrame } from '@/components/ui/foreign-frame'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { whenIdle } from '@/components/ui/when-idle'
import styles from './support.module.css'

/** The widget waits for a quiet moment, but not for ever: somebody may be waiting for an answer in it. */
const IDLE_TIMEOUT_MS = 4_000

interface SupportButtonProps {
  /** Of the widget's page. */
  address: string
  label: string
  title: string
  frameTitle: string
  /** Who is behind the widget, and what they are told. */
  note: string
}

export function SupportButton({ address, label, title, frameTitle, note }: SupportButtonProps) {
  const [open, setOpen] = useState(false)
  const dialogId = useId()
  const isLoaded = useLoadedLater()
  return (
    <>
      <IconButton
        label={label}
        icon={<Icon icon={CircleQuestionMark} size={20} strokeWidth={1.75} />}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-controls={dialogId}
        onClick={() => setOpen(true)}
      />
      <Dialog id={dialogId} open={open} onClose={() => setOpen(false)} title={title} keepsContent={isLoaded}>
        <p className={styles.note}>{note}</p>
        <ForeignFrame className={styles.frame} address={address} title={frameTitle} />
      </Dialog>
    </>
  )
}

/** True once the page has been loaded and rests: then the widget is loaded behind the closed panel. */
function useLoadedLater(): boolean {
  const [isLoaded, setLoaded] = useState(false)
  useEffect(() => {
    let cancel = () => {}
    const begin = () => {
      cancel = whenIdle(() => setLoaded(true), IDLE_TIMEOUT_MS)
    }
    if (document.readyState === 'complete') begin()
    else addEventListener('load', begin, { once: true })
    return () => {
      removeEventListener('load', begin)
      cancel()
    }
  }, [])
  return isLoaded
}
