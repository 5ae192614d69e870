'use client'

import { CircleQuestionMark } from 'lucide'
import { useId, useState } from 'react'
import { Dialog } from '@/components/ui/dialog'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import styles from './support.module.css'
import { frameSandbox } from './widget-frame'

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
      <Dialog id={dialogId} open={open} onClose={() => setOpen(false)} title={title}>
        <p className={styles.note}>{note}</p>
        <SupportFrame address={address} title={frameTitle} />
      </Dialog>
    </>
  )
}

interface SupportFrameProps {
  address: string
  title: string
}

/**
 * The widget in a frame of its own origin: it sees neither our page nor the browser's data of ours, and
 * is not told which page it was opened on.
 */
function SupportFrame({ address, title }: SupportFrameProps) {
  return (
    <iframe
      className={styles.frame}
      src={address}
      title={title}
      sandbox={frameSandbox(address, window.location.origin)}
      referrerPolicy="no-referrer"
      allow=""
    />
  )
}
